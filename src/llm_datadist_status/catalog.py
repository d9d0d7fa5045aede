"""What each code means and what to do about it, English and Chinese side by side. Data only.

Codes, meanings, recoverability and remedies are those of the page "Error Codes" of the LLM-DataDist C++ API (CANN
commercial edition 9.0.0, the Chinese page is the original); what the Python API's page says otherwise stands beside
them. No value is written here: each entry takes its value from the compiled constant of its name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CPP_PAGE: Mapping[str, str] = {
    "en": "CANN commercial edition 9.0.0, LLM-DataDist C++ API, page 'Error Codes'",
    "zh": "CANN商用版9.0.0，LLM-DataDist C++接口，“错误码”页",
}
PYTHON_PAGE: Mapping[str, str] = {
    "en": "CANN commercial edition 9.0.0, LLM-DataDist Python API, page on status codes",
    "zh": "CANN商用版9.0.0，LLM-DataDist Python接口，状态码页",
}
NO_PAGE: Mapping[str, str] = {
    "en": "no official page: the catalogue has no entry for it",
    "zh": "无官方文档依据：本工具尚未收录",
}


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

    Where the pages disagree, ``conflict`` holds what to say of the other page, by the page that was chosen. ``calls``
    are the only calls that report the code, where the pages say so; else None.
    """

    __slots__ = ("calls", "conflict", "cpp", "description", "python", "source")

    def __init__(
        self,
        description: Mapping[str, str],
        cpp: Remedy,
        *,
        python: Remedy | None = None,
        conflict: Mapping[str, Mapping[str, str]] | None = None,
        source: Mapping[str, str] = CPP_PAGE,
        calls: tuple[str, ...] | None = None,
    ) -> None:
        self.description = description
        self.cpp = cpp
        self.python = python
        self.conflict = conflict
        self.source = source
        self.calls = calls

    @property
    def recoverable(self) -> bool | None:
        """The column of the C++ page."""
        return self.cpp.recoverable


# Of which calls a case speaks: keys for ``calls.matches``, and the words that introduce its steps where no call is known.
CONDITIONS: Mapping[str, Mapping[str, str] | None] = {
    "any": None,
    "transfer": {
        "en": "After a transfer call (PullKvCache, PullKvBlocks and the like)",
        "zh": "由传输类接口（例如PullKvCache、PullKvBlocks）返回时",
    },
    "not transfer": {"en": "After any other call", "zh": "由其他接口返回时"},
    "link": {"en": "After a link call (LinkLlmClusters)", "zh": "由建链接口（LinkLlmClusters）返回时"},
    "not link": {"en": "After any other call", "zh": "由其他接口返回时"},
    "set role": {"en": "After SetRole (switch_role)", "zh": "由SetRole（switch_role）返回时"},
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
    "COLLECT_LOGS": {"en": "leave everything as it is, collect logs", "zh": "保留现场，收集日志"},
}

_COLLECT_LOGS = (
    {"en": "Leave the failed system as it is, as evidence.", "zh": "保留故障现场，不要做任何清理。"},
    {"en": "Collect the logs of host and device.", "zh": "收集Host侧和Device侧的日志。"},
    {"en": "Keep a backup copy of these logs.", "zh": "将收集到的日志另存一份备份。"},
)
_RELINK = {
    "en": "The link is beyond recovery: set it up again.",
    "zh": "链路已无法恢复，只能重新建立。",
}
_RETRY_LONGER = {"en": "Allow a longer timeout and make the call again.", "zh": "调大超时时间，然后重新调用。"}
_CHECK_LINK = {
    "en": "In the layer above LLM-DataDist, find out whether Decode and Prompt are linked.",
    "zh": "由上层业务确认Decode和Prompt当前是否已建链。",
}
_CHECK_OPTIONS = {
    "en": "Make sure that LLM-DataDist was initialized with every option that the feature needs.",
    "zh": "确认LLM-DataDist初始化参数中包含该特性所需的option。",
}

ENTRIES: Mapping[str, Entry] = {
    "LLM_SUCCESS": Entry(
        {"en": "The call succeeded.", "zh": "调用成功。"},
        Remedy(None, Case("NONE", {"en": "Nothing needs to be done.", "zh": "无需处理。"})),
    ),
    "LLM_FAILED": Entry(
        {
            "en": "A general failure.",
            "zh": "通用类失败。",
        },
        Remedy(False, Case("COLLECT_LOGS", *_COLLECT_LOGS)),
        python=Remedy(
            False,
            Case(
                "COLLECT_LOGS",
                *_COLLECT_LOGS,
                {"en": "Then restart the machine or the container.", "zh": "之后重启机器或容器。"},
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
        {"en": "Processing took longer than the timeout allows.", "zh": "处理超时，未在限定时间内完成。"},
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
        {"en": "There is no such KV cache.", "zh": "找不到对应的KV Cache。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {"en": "Make sure that the cache ID (cache_id) is the right one.", "zh": "核对cache_id有没有填错。"},
                {"en": "Find out whether the cache was released before.", "zh": "确认这个Cache是不是已经被释放。"},
                {
                    "en": "See in the error log of the matching Prefill side whether that request has run to its end.",
                    "zh": "到对应全量侧的报错日志中找到该请求，看它是否已执行完。",
                },
                {
                    "en": "Find out whether the same cache is pulled more than once.",
                    "zh": "排除对同一Cache的重复拉取。",
                },
            ),
        ),
    ),
    "LLM_PARAM_INVALID": Entry(
        {"en": "A parameter is not valid.", "zh": "参数无效。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {"en": "Find in the logs what is wrong with the call.", "zh": "查看日志，定位参数错在哪里。"},
            ),
        ),
    ),
    "LLM_NOT_YET_LINK": Entry(
        {"en": "There is no link yet.", "zh": "链路尚未建立。"},
        Remedy(True, Case("CHECK_LINK", _CHECK_LINK)),
    ),
    "LLM_ALREADY_LINK": Entry(
        {"en": "The link is there already, so it cannot be established twice.", "zh": "链路已存在，本次为重复建链。"},
        Remedy(
            True,
            Case(
                "NONE",
                {
                    "en": "The cluster is linked: count it as done, not as failed.",
                    "zh": "对应集群已经建链，应计为成功，而不是失败。",
                },
                when="link",
            ),
            Case("CHECK_LINK", _CHECK_LINK, when="not link"),
        ),
    ),
    "LLM_LINK_FAILED": Entry(
        {"en": "The link could not be set up.", "zh": "链路未能建立。"},
        Remedy(
            True,
            Case(
                "CHECK_NETWORK",
                {
                    "en": "If the second return value of LinkLlmClusters (one status per cluster) holds it, check that the clusters in question reach each other over the network.",
                    "zh": "若LinkLlmClusters的第二个返回值（各集群的结果）中含有该错误码，请排查相应集群间的网络是否连通。",
                },
            ),
        ),
    ),
    "LLM_UNLINK_FAILED": Entry(
        {"en": "The link could not be taken down.", "zh": "链路未能断开。"},
        Remedy(
            True,
            Case(
                "CHECK_NETWORK",
                {
                    "en": "If the second return value of UnlinkLlmClusters (one status per cluster) holds it, check that the clusters in question reach each other over the network.",
                    "zh": "若UnlinkLlmClusters的第二个返回值（各集群的结果）中含有该错误码，请排查相应集群间的网络是否连通。",
                },
            ),
        ),
    ),
    "LLM_NOTIFY_PROMPT_UNLINK_FAILED": Entry(
        {"en": "The Prompt side could not be told of the unlinking.", "zh": "断链消息未能送达Prompt侧。"},
        Remedy(
            True,
            Case(
                "CHECK_NETWORK",
                {
                    "en": "Check that Decode and Prompt reach each other over the network.",
                    "zh": "确认Decode与Prompt之间的网络互相可达。",
                },
                {
                    "en": "From the Prompt side, call UnlinkLlmClusters yourself, so that what the link left behind is cleaned up.",
                    "zh": "从Prompt侧主动调用一次UnlinkLlmClusters，把遗留的资源清理掉。",
                },
            ),
        ),
    ),
    "LLM_CLUSTER_NUM_EXCEED_LIMIT": Entry(
        {"en": "There are more clusters than allowed.", "zh": "集群数超出上限。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {
                    "en": "Pass at most 16 clusters to LinkLlmClusters or UnlinkLlmClusters; check what the call was given.",
                    "zh": "LinkLlmClusters、UnlinkLlmClusters的clusters参数最多接受16个集群，请检查实际传入的数量。",
                },
            ),
        ),
        calls=("LinkLlmClusters", "UnlinkLlmClusters", "link_clusters", "unlink_clusters"),
    ),
    "LLM_PROCESSING_LINK": Entry(
        {"en": "A link operation is in progress.", "zh": "链路操作正在进行。"},
        Remedy(
            True,
            Case(
                "RETRY_LATER",
                {
                    "en": "Linking or unlinking is under way: wait a little and call again.",
                    "zh": "建链或断链尚未结束，请等一会儿再调用。",
                },
            ),
        ),
    ),
    "LLM_DEVICE_OUT_OF_MEMORY": Entry(
        {"en": "The device is out of memory.", "zh": "Device侧内存不足。"},
        Remedy(
            True,
            Case(
                "FREE_MEMORY",
                {
                    "en": "Look for memory that was allocated and never released.",
                    "zh": "排查有没有申请后未释放的内存。",
                },
            ),
        ),
    ),
    "LLM_EXIST_LINK": Entry(
        {
            "en": "The role cannot be set while there are links that were not released.",
            "zh": "仍有链路未释放，此时不能设置角色。",
        },
        Remedy(
            True,
            Case(
                "FIX_CALL",
                {
                    "en": "Make sure that every link is taken down with UnlinkLlmClusters before SetRole is called.",
                    "zh": "确认调用SetRole之前，所有链路都已通过UnlinkLlmClusters断开。",
                },
            ),
        ),
        calls=("SetRole", "switch_role"),
    ),
    "LLM_FEATURE_NOT_ENABLED": Entry(
        {"en": "The feature is not switched on.", "zh": "该特性没有开启。"},
        Remedy(
            True,
            Case(
                "FIX_CALL",
                _CHECK_OPTIONS,
            ),
            Case(
                "FIX_CALL",
                {
                    "en": 'Make sure that the initialization set OPTION_ENABLE_SET_ROLE = "1".',
                    "zh": '确认初始化时已将OPTION_ENABLE_SET_ROLE配置为"1"。',
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
                    "en": "It may also be that the API is not supported.",
                    "zh": "也可能是所调用的接口不受支持。",
                },
            ),
            Case(
                "FIX_CALL",
                {
                    "en": "Make sure that the initialization set enable_switch_role = True.",
                    "zh": "确认初始化时已将enable_switch_role设为True。",
                },
                when="set role",
            ),
        ),
        conflict={
            "cpp": {
                "en": "The Python page names enable_switch_role = True for switch_role, and an API that is not supported as another cause.",
                "zh": "Python接口文档中，switch_role对应的配置为enable_switch_role = True；此外还提到接口不受支持的情况。",
            },
            "python": {
                "en": 'The C++ page names OPTION_ENABLE_SET_ROLE = "1" for SetRole, and no API that is not supported.',
                "zh": 'C++接口文档中，SetRole对应的配置为OPTION_ENABLE_SET_ROLE = "1"，未提到接口不受支持的情况。',
            },
        },
    ),
    "LLM_TIMEOUT": Entry(
        {"en": "Processing took longer than the timeout allows.", "zh": "处理超时，未在限定时间内完成。"},
        Remedy(False, Case("COLLECT_LOGS", *_COLLECT_LOGS)),
        python=Remedy(
            True,
            Case("RELINK", _RELINK, when="transfer"),
            Case("RETRY_LONGER", _RETRY_LONGER, when="not transfer"),
        ),
        conflict={
            "cpp": {
                "en": "The Python page calls it recoverable: after a transfer call the link is dead and has to be set up again; after any other call, retry with a longer timeout.",
                "zh": "Python接口文档认为该错误可恢复：由传输类接口返回时链路已失效，需重新建链；由其他接口返回时，调大超时时间后重试。",
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
                    "en": "The code is reserved and not returned at present; if it appears anyway, call again later.",
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
        {"en": "There is too little memory.", "zh": "内存不足。"},
        Remedy(
            True,
            Case(
                "FREE_MEMORY",
                {
                    "en": "Find out which is exhausted, the memory pool or the memory of the system.",
                    "zh": "查看内存池和系统内存，确认是哪一个已经不够用。",
                },
            ),
        ),
    ),
}

# A constant of a header that is newer than this catalogue.
UNCATALOGUED = Entry(
    {
        "en": "The header has this code, but the catalogue of this version does not know it yet.",
        "zh": "头文件中有该错误码，但本工具的当前版本尚未收录。",
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
