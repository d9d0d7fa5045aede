"""The documented codes, stated once more for the tests to hold the package against."""

from __future__ import annotations

# name: value, recoverable, action without a call
CODES: dict[str, tuple[int, bool | None, str]] = {
    "LLM_SUCCESS": (0x0, None, "NONE"),
    "LLM_FAILED": (0xFFFFFFFF, False, "COLLECT_LOGS"),
    "LLM_WAIT_PROC_TIMEOUT": (0x5010B001, True, "RETRY_LONGER"),
    "LLM_KV_CACHE_NOT_EXIST": (0x5010B002, True, "FIX_CALL"),
    "LLM_PARAM_INVALID": (0x5010B005, True, "FIX_CALL"),
    "LLM_NOT_YET_LINK": (0x5010B007, True, "CHECK_LINK"),
    "LLM_ALREADY_LINK": (0x5010B008, True, "CHECK_LINK"),
    "LLM_LINK_FAILED": (0x5010B009, True, "CHECK_NETWORK"),
    "LLM_UNLINK_FAILED": (0x5010B00A, True, "CHECK_NETWORK"),
    "LLM_NOTIFY_PROMPT_UNLINK_FAILED": (0x5010B00B, True, "CHECK_NETWORK"),
    "LLM_CLUSTER_NUM_EXCEED_LIMIT": (0x5010B00C, True, "FIX_CALL"),
    "LLM_PROCESSING_LINK": (0x5010B00D, True, "RETRY_LATER"),
    "LLM_DEVICE_OUT_OF_MEMORY": (0x5010B00E, True, "FREE_MEMORY"),
    "LLM_EXIST_LINK": (0x5010B018, True, "FIX_CALL"),
    "LLM_FEATURE_NOT_ENABLED": (0x5010B019, True, "FIX_CALL"),
    "LLM_TIMEOUT": (0x5010B01A, False, "COLLECT_LOGS"),
    "LLM_LINK_BUSY": (0x5010B01B, True, "RETRY_LATER"),
    "LLM_OUT_OF_MEMORY": (0x5010B01C, True, "FREE_MEMORY"),
}
