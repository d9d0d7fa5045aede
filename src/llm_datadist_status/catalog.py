"""What each code means and what to do about it, English and Chinese side by side. Data only.

Codes, meanings, recoverability and remedies are those of the page "Error Codes" of the LLM-DataDist C++ API (CANN
commercial edition 9.0.0, the Chinese page is the original); what the Python API's page says otherwise stands beside
them. No value is written here: each entry takes its value from the compiled constant of its name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CPP_PAGE = "CANN commercial edition 9.0.0, LLM-DataDist C++ API, page 'Error Codes'"
PYTHON_PAGE = "CANN commercial edition 9.0.0, LLM-DataDist Python API, page on status codes"
NO_PAGE = "no official page: the value has no entry in the catalogue"


class Case:
    """An action (a name of ``advice.Action``) and its steps, for the calls that ``when`` names (a key of CONDITIONS)."""

    __slots__ = ("action", "steps", "when")

    def __init__(self, action: str, *steps: Mapping[str, str], when: str = "any") -> None:
        self.action = action
        self.steps = steps
        self.when = when


class Remedy:
    """One page's answer: whether the code is recoverable (None: the notion does not apply), and the cases."""

    __slots__ = ("cases", "recoverable")

    def __init__(self, recoverable: bool | None, *cases: Case) -> None:
        self.recoverable = recoverable
        self.cases = cases


class Entry:
    """One code: its description and its remedy, by the C++ page and, where that differs, by the Python page.

    Where the pages disagree, ``conflict`` holds what to say of the other page, by the page that was chosen.
    """

    __slots__ = ("conflict", "cpp", "description", "python", "source")

    def __init__(
        self,
        description: Mapping[str, str],
        cpp: Remedy,
        *,
        python: Remedy | None = None,
        conflict: Mapping[str, Mapping[str, str]] | None = None,
        source: str = CPP_PAGE,
    ) -> None:
        self.description = description
        self.cpp = cpp
        self.python = python
        self.conflict = conflict
        self.source = source

    @property
    def recoverable(self) -> bool | None:
        """The column of the C++ page."""
        return self.cpp.recoverable


# Of which calls a case speaks: keys for ``calls.matches``, and the words that introduce its steps where no call is known.
CONDITIONS: Mapping[str, Mapping[str, str] | None] = {
    "any": None,
    "transfer": {
        "en": "After a transfer call (PullKvCache, PullKvBlocks and the like)",
        "zh": "如果是PullKvCache、PullKvBlocks等传输类接口上报",
    },
    "not transfer": {"en": "After any other call", "zh": "如果是其他接口上报"},
    "link": {"en": "After a link call (LinkLlmClusters)", "zh": "如果是建链接口（LinkLlmClusters）上报"},
    "not link": {"en": "After any other call", "zh": "如果是其他接口上报"},
    "set role": {"en": "After SetRole (switch_role)", "zh": "如果是SetRole（switch_role）上报"},
}

ACTIONS: Mapping[str, Mapping[str, str]] = {
    "NONE": {"en": "nothing to do", "zh": "无需处理"},
    "RETRY_LATER": {"en": "wait, then retry", "zh": "稍后重试"},
    "RETRY_LONGER": {"en": "retry with a longer timeout", "zh": "加大超时时间后重试"},
    "RELINK": {"en": "establish the link anew", "zh": "重新建链"},
    "CHECK_LINK": {"en": "check the state of the link", "zh": "检查建链状态"},
    "CHECK_NETWORK": {"en": "check the network", "zh": "检查网络"},
    "FIX_CALL": {"en": "correct the call", "zh": "修正调用"},
    "FREE_MEMORY": {"en": "free memory", "zh": "释放内存"},
    "COLLECT_LOGS": {"en": "keep the scene, collect logs", "zh": "保留现场并收集日志"},
}

_COLLECT_LOGS = (
    {"en": "Leave the scene of the failure as it is.", "zh": "保持故障现场不变。"},
    {"en": "Collect the logs of the host and of the device.", "zh": "收集Host侧和Device侧的日志。"},
    {"en": "Back these logs up.", "zh": "对收集到的日志进行备份。"},
)
_RELINK = {
    "en": "The link cannot be recovered: establish it anew.",
    "zh": "该链路已无法恢复，请重新建链。",
}
_RETRY_LONGER = {"en": "Make the timeout longer and call again.", "zh": "请调大超时时间后重新调用。"}
_CHECK_LINK = {
    "en": "Find out in the layer above LLM-DataDist how things stand with the link between Decode and Prompt.",
    "zh": "在上层业务中确认Decode与Prompt之间的建链情况。",
}
_CHECK_OPTIONS = {
    "en": "Check that the initialization of LLM-DataDist was given every option that the feature needs.",
    "zh": "检查初始化LLM-DataDist时是否传入了所需的全部option。",
}

ENTRIES: Mapping[str, Entry] = {
    "LLM_SUCCESS": Entry(
        {"en": "The call succeeded.", "zh": "调用成功。"},
        Remedy(None, Case("NONE", {"en": "Nothing needs to be done.", "zh": "无需处理。"})),
    ),
    "LLM_FAILED": Entry(
        {
            "en": "A general failure: no other code says more exactly what failed.",
            "zh": "一般性失败，没有更具体的错误码。",
        },
        Remedy(False, Case("COLLECT_LOGS", *_COLLECT_LOGS)),
        python=Remedy(
            False,
            Case(
                "COLLECT_LOGS",
                *_COLLECT_LOGS,
                {"en": "Then restart the machine or the container.", "zh": "然后重启机器或容器。"},
            ),
        ),
        conflict={
            "cpp": {
                "en": "The Python page also says to restart the machine or the container.",
                "zh": "Python接口文档还要求重启机器或容器。",
            },
            "python": {
                "en": "The C++ page says only to keep the scene and to collect and back up the logs, not to restart.",
                "zh": "C++接口文档只要求保留现场、收集并备份日志，未要求重启。",
            },
        },
    ),
    "LLM_WAIT_PROC_TIMEOUT": Entry(
        {"en": "Processing was not finished in time.", "zh": "未能在规定时间内处理完成。"},
        Remedy(
            True,
            Case("RELINK", _RELINK, when="transfer"),
            Case("RETRY_LONGER", _RETRY_LONGER, when="not transfer"),
        ),
        conflict={
            "cpp": {
                "en": "The current Python page does not list this code.",
                "zh": "当前的Python接口文档未列出该错误码。",
            },
            "python": {
                "en": "The current Python page does not list this code; the advice is that of the C++ page.",
                "zh": "当前的Python接口文档未列出该错误码，此处采用C++接口文档的建议。",
            },
        },
    ),
    "LLM_KV_CACHE_NOT_EXIST": Entry(
        {"en": "The KV cache does not exist.", "zh": "KV Cache不存在。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {"en": "Make sure that the cache ID (cache_id) is the right one.", "zh": "核对cache_id是否正确。"},
                {"en": "Find out whether the cache was released before.", "zh": "确认该Cache是否已被释放。"},
                {
                    "en": "Look for the request in the error log of the matching prefill side: is it completed?",
                    "zh": "查看对应全量侧的报错日志，确认其中的请求是否已经完成。",
                },
                {
                    "en": "Find out whether the same cache is pulled more than once.",
                    "zh": "确认是否重复拉取了同一Cache。",
                },
            ),
        ),
    ),
    "LLM_PARAM_INVALID": Entry(
        {"en": "A parameter is wrong.", "zh": "参数有误。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {"en": "Find the cause in the logs, then correct the call.", "zh": "查看日志定位原因，并修正调用。"},
            ),
        ),
    ),
    "LLM_NOT_YET_LINK": Entry(
        {"en": "No link has been established.", "zh": "尚未建链。"},
        Remedy(True, Case("CHECK_LINK", _CHECK_LINK)),
    ),
    "LLM_ALREADY_LINK": Entry(
        {"en": "The link exists already; it was to be established a second time.", "zh": "链路已存在，属于重复建链。"},
        Remedy(
            True,
            Case(
                "NONE",
                {
                    "en": "The cluster is linked: count it as done, not as failed.",
                    "zh": "对应集群已处于建链状态，按建链成功处理，不要当作失败。",
                },
                when="link",
            ),
            Case("CHECK_LINK", _CHECK_LINK, when="not link"),
        ),
    ),
    "LLM_LINK_FAILED": Entry(
        {"en": "The link could not be established.", "zh": "建链失败，链路未能建立。"},
        Remedy(
            True,
            Case(
                "CHECK_NETWORK",
                {
                    "en": "Where the code stands in the second return value of LinkLlmClusters, check the network between the clusters that it stands for.",
                    "zh": "如果该错误码出现在LinkLlmClusters的第二个返回值中，请检查相应集群之间的网络是否连通。",
                },
            ),
        ),
    ),
    "LLM_UNLINK_FAILED": Entry(
        {"en": "The link could not be taken down.", "zh": "断链失败，链路未能断开。"},
        Remedy(
            True,
            Case(
                "CHECK_NETWORK",
                {
                    "en": "Where the code stands in the second return value of UnlinkLlmClusters, check the network between the clusters that it stands for.",
                    "zh": "如果该错误码出现在UnlinkLlmClusters的第二个返回值中，请检查相应集群之间的网络是否连通。",
                },
            ),
        ),
    ),
    "LLM_NOTIFY_PROMPT_UNLINK_FAILED": Entry(
        {"en": "The Prompt side could not be told that the link is taken down.", "zh": "未能将断链通知到Prompt侧。"},
        Remedy(
            True,
            Case(
                "CHECK_NETWORK",
                {"en": "Check the network between Decode and Prompt.", "zh": "检查Decode与Prompt之间的网络是否连通。"},
                {
                    "en": "Call UnlinkLlmClusters on the Prompt side as well, to clear away what the link left there.",
                    "zh": "在Prompt侧主动调用UnlinkLlmClusters，清理残留资源。",
                },
            ),
        ),
    ),
    "LLM_CLUSTER_NUM_EXCEED_LIMIT": Entry(
        {"en": "There are more clusters than the limit allows.", "zh": "集群数量超出上限。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {
                    "en": "Check the arguments of LinkLlmClusters and UnlinkLlmClusters: they take at most 16 clusters.",
                    "zh": "检查LinkLlmClusters和UnlinkLlmClusters的入参，clusters最多为16个。",
                },
            ),
        ),
    ),
    "LLM_PROCESSING_LINK": Entry(
        {"en": "A link is just being processed.", "zh": "链路正在处理中。"},
        Remedy(
            True,
            Case(
                "RETRY_LATER",
                {
                    "en": "A link is being established or taken down at this moment: call again a little later.",
                    "zh": "当前正在建链或断链，请等待一段时间后再试。",
                },
            ),
        ),
    ),
    "LLM_DEVICE_OUT_OF_MEMORY": Entry(
        {"en": "The device has not enough memory.", "zh": "Device侧内存不够。"},
        Remedy(
            True,
            Case(
                "FREE_MEMORY",
                {
                    "en": "Look for memory that was allocated and never released.",
                    "zh": "检查已申请的内存是否都已释放。",
                },
            ),
        ),
    ),
    "LLM_EXIST_LINK": Entry(
        {"en": "The role was to be set while links were not yet released.", "zh": "设置角色时，仍有链路没有释放。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {
                    "en": "Before SetRole, disconnect every link with UnlinkLlmClusters.",
                    "zh": "确认在调用SetRole之前，已用UnlinkLlmClusters断开全部链路。",
                },
            ),
        ),
    ),
    "LLM_FEATURE_NOT_ENABLED": Entry(
        {"en": "The feature is not enabled.", "zh": "特性未开启。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                _CHECK_OPTIONS,
            ),
            Case(
                "FIX_CALL",
                {
                    "en": 'Check that OPTION_ENABLE_SET_ROLE = "1" was among the options of the initialization.',
                    "zh": '检查初始化时是否设置了OPTION_ENABLE_SET_ROLE = "1"。',
                },
                when="set role",
            ),
        ),
        python=Remedy(
            True,
            Case(
                "FIX_CALL",
                _CHECK_OPTIONS,
                {
                    "en": "If it was, the API that was called is not supported.",
                    "zh": "如果均已传入，则说明所调用的接口不受支持。",
                },
            ),
            Case(
                "FIX_CALL",
                {
                    "en": "Check that enable_switch_role = True was set at initialization.",
                    "zh": "检查初始化时是否设置了enable_switch_role = True。",
                },
                when="set role",
            ),
        ),
        conflict={
            "cpp": {
                "en": "The Python page names enable_switch_role = True for switch_role, and an API that is not supported as another cause.",
                "zh": "Python接口文档中，switch_role对应的配置为enable_switch_role = True；此外，接口不受支持时也会返回该错误码。",
            },
            "python": {
                "en": 'The C++ page names OPTION_ENABLE_SET_ROLE = "1" for SetRole, and no API that is not supported.',
                "zh": 'C++接口文档中，SetRole对应的配置为OPTION_ENABLE_SET_ROLE = "1"，且未提及接口不受支持的情况。',
            },
        },
    ),
    "LLM_TIMEOUT": Entry(
        {"en": "Processing timed out.", "zh": "处理已超时。"},
        Remedy(False, Case("COLLECT_LOGS", *_COLLECT_LOGS)),
        python=Remedy(
            True,
            Case("RELINK", _RELINK, when="transfer"),
            Case("RETRY_LONGER", _RETRY_LONGER, when="not transfer"),
        ),
        conflict={
            "cpp": {
                "en": "The Python page calls it recoverable: after a transfer call the link is dead and has to be established anew; after any other call, retry with a longer timeout.",
                "zh": "Python接口文档认为该错误可恢复：传输类接口上报时链路已失效，需重新建链；其他接口上报时，加大超时时间后重试。",
            },
            "python": {
                "en": "The C++ page calls it not recoverable: keep the scene, collect the host and device logs and back them up.",
                "zh": "C++接口文档认为该错误不可恢复：应保留现场，收集Host侧和Device侧日志并备份。",
            },
        },
    ),
    "LLM_LINK_BUSY": Entry(
        {"en": "The link is busy.", "zh": "链路正忙。"},
        Remedy(
            True,
            Case(
                "RETRY_LATER",
                {
                    "en": "The code is reserved and not returned at present; should it come all the same, call again later.",
                    "zh": "该错误码为预留，目前不会返回；如果实际出现，请稍后重试。",
                },
            ),
        ),
        python=Remedy(
            True,
            Case(
                "RETRY_LATER",
                {
                    "en": "Calls that conflict were made at the same time, such as unlink during pull_cache: let the first one end, then call again.",
                    "zh": "同时执行了互相冲突的调用（例如pull_cache期间执行unlink），请等前一个调用结束后再试。",
                },
            ),
        ),
        conflict={
            "cpp": {
                "en": "The Python page says that it comes from conflicting calls at the same time, such as unlink during pull_cache.",
                "zh": "Python接口文档说明，同时执行互相冲突的调用（例如pull_cache期间执行unlink）时会返回该错误码。",
            },
            "python": {
                "en": "The C++ page calls it reserved and not returned at present.",
                "zh": "C++接口文档说明该错误码为预留，目前不会返回。",
            },
        },
    ),
    "LLM_OUT_OF_MEMORY": Entry(
        {"en": "There is not enough memory.", "zh": "内存不够。"},
        Remedy(
            True,
            Case(
                "FREE_MEMORY",
                {
                    "en": "Check whether the memory pool or the system still has enough memory.",
                    "zh": "检查内存池或系统的剩余内存是否足够。",
                },
            ),
        ),
    ),
}

# A constant of a header that is newer than this catalogue.
UNCATALOGUED = Entry(
    {
        "en": "The header has this code, but the catalogue of this version does not know it yet.",
        "zh": "头文件中有该错误码，但当前版本的说明目录尚未收录。",
    },
    Remedy(
        None,
        Case(
            "COLLECT_LOGS",
            *_COLLECT_LOGS,
            {
                "en": "Look the code up in the documentation of the toolkit that the header belongs to.",
                "zh": "在该头文件所属版本的CANN文档中查询该错误码。",
            },
        ),
    ),
    source=NO_PAGE,
)

# A 32-bit value that the header has no name for.
UNKNOWN = Entry(
    {
        "en": "The header has no status code with this value.",
        "zh": "头文件中没有取值为该数值的错误码。",
    },
    Remedy(
        None,
        Case(
            "COLLECT_LOGS",
            *_COLLECT_LOGS,
            {
                "en": "Find out which component printed the number: it may belong to another library or a newer toolkit.",
                "zh": "确认该数值由哪个组件打印：可能来自其他库或更新版本的CANN。",
            },
        ),
    ),
    source=NO_PAGE,
)
