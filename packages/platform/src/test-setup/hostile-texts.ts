/** Texts that an agent may have as a name, and that no page may interpret. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>window.pwned = 1</script>',
  '</script><script>window.pwned = 1</script>',
  '"><img src=x onerror="window.pwned = 1">',
  "' autofocus onfocus='window.pwned = 1",
  '</title></style></head><body onload=window.pwned=1>',
  '<!--<script>window.pwned = 1',
  '&lt;b&gt;&#60;script&#62;window.pwned = 1&#60;/script&#62;',
  '<svg/onload=window.pwned=1>',
  '{{constructor.constructor("window.pwned=1")()}}',
  '${window.pwned = 1}',
  'invoice\u202egpj.exe',
  'zero\u200bwidth\u2066 and isolates\u2069',
  'W'.repeat(64),
]
