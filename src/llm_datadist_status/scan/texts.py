"""The words in which a report is shown to people, both languages in the same order."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .report import Report

# What counts something is given for one and for several, where that makes a difference.
TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "LLM-DataDist status report",
        "scanned": "Scanned {files}, {lines}, {bytes}.",
        "files_count": "1 file|{:,} files",
        "lines_count": "1 line|{:,} lines",
        "bytes_count": "1 byte|{:,} bytes",
        "nothing": "No status was reported.",
        "no_incident": "No status but LLM_SUCCESS was reported.",
        "sections": "Sections",
        "causes": "Causes",
        "incident_count": "1 incident|{:,} incidents",
        "wrapper_count": "1 wrapper line|{:,} wrapper lines",
        "from": "from {}",
        "colon": ": ",
        "details": "Spellings and source",
        "jump_incidents": "To its incidents",
        "unreadable": "Not read, or not to the end",
        "timeline": "Timeline",
        "timeline_hint": "One lane for each file; a mark is one or more incidents of a cause, the larger the more."
        " Click a mark to see the first of them.",
        "timeline_scroll": "Timeline, can be scrolled sideways",
        "timeline_table": "The timeline as a table",
        "no_time": "No line with a time was found.",
        "others": "more files",
        "values": "other unknown values",
        "file": "File",
        "cause": "Cause",
        "first": "First",
        "last": "Last",
        "counts": "Counts",
        "status": "Status",
        "meaning": "Meaning",
        "count": "Reports",
        "count_hint": "Incidents are counted by their cause. Reports include wrappers: lines in which an outer"
        " level logs 4294967295 (LLM_FAILED) on its way out, after the cause was logged.",
        "incidents": "Incidents",
        "more": "1 further incident was counted by its cause only."
        "|{:,} further incidents were counted by their cause only.",
        "filter": "Filter",
        "all": "all",
        "text": "Text",
        "reset": "Show all",
        "shown": "{shown} of {all} incidents shown",
        "incident": "Incident {}",
        "until": "to {}",
        "action": "Action",
        "remedy": "What to do",
        "about": "More about this cause",
        "line": "line {}",
        "cut_before": "{} bytes before",
        "cut_after": "{} more bytes",
        "cut_at_least": "at least {} more bytes",
        "files": "Files",
        "lines": "Lines",
        "bytes": "Bytes",
        "stdin": "standard input",
        "error": "Error",
        "top": "To the top",
    },
    "zh": {
        "title": "LLM-DataDist错误码报告",
        "scanned": "已扫描{files}，共{lines}、{bytes}。",
        "files_count": "{:,}个文件",
        "lines_count": "{:,}行",
        "bytes_count": "{:,}字节",
        "nothing": "没有发现上报的错误码。",
        "no_incident": "除LLM_SUCCESS外，没有发现上报的错误码。",
        "sections": "目录",
        "causes": "根因",
        "incident_count": "{:,}次故障",
        "wrapper_count": "{:,}条外层重复报错",
        "from": "来自{}",
        "colon": "：",
        "details": "其他写法与来源",
        "jump_incidents": "查看相关故障",
        "unreadable": "未能读取或未读完的文件",
        "timeline": "时间线",
        "timeline_hint": "每个文件占一行；每个标记代表同一根因的一次或多次故障，次数越多，标记越大。"
        "点击标记可跳转到其中的第一次故障。",
        "timeline_scroll": "时间线，可左右滚动",
        "timeline_table": "以表格查看时间线",
        "no_time": "日志行中没有时间信息。",
        "others": "更多文件",
        "values": "其他未知值",
        "file": "文件",
        "cause": "根因",
        "first": "首次",
        "last": "末次",
        "counts": "次数统计",
        "status": "错误码",
        "meaning": "含义",
        "count": "上报",
        "count_hint": "故障按根因计数；上报次数包含外层重复报错，即根因打印之后，"
        "外层函数逐级返回时又打印的4294967295（LLM_FAILED）。",
        "incidents": "故障",
        "more": "另有{:,}次故障只按根因计数。",
        "filter": "筛选",
        "all": "全部",
        "text": "文本",
        "reset": "显示全部",
        "shown": "显示{shown}次故障，共{all}次",
        "incident": "故障{}",
        "until": "至{}",
        "action": "建议操作",
        "remedy": "处理步骤",
        "about": "该根因的详细说明",
        "line": "第{}行",
        "cut_before": "前面省略{}字节",
        "cut_after": "后面省略{}字节",
        "cut_at_least": "后面至少省略{}字节",
        "files": "文件",
        "lines": "行数",
        "bytes": "字节数",
        "stdin": "标准输入",
        "error": "错误",
        "top": "回到顶部",
    },
}


def several(text: str, count: int) -> str:
    """The text for ``count`` of something; before a bar stands the one for 1."""
    one, _, more = text.partition("|")
    return (more if more and count != 1 else one).format(count)


def scanned(report: Report, lang: str) -> str:
    """How much was scanned, in a sentence."""
    sizes = {name: sum(file[name] for file in report.files) for name in ("lines", "bytes")}
    texts, counts = TEXTS[lang], {"files": len(report.files), **sizes}
    return texts["scanned"].format(**{name: several(texts[f"{name}_count"], count) for name, count in counts.items()})
