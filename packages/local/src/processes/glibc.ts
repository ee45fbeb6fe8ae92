/**
 * Returns the version of the C library that this process uses, "2.36".
 *
 * @returns `undefined` when it is not glibc: macOS, Windows, Alpine
 */
export function readGlibcVersion(): string | undefined {
  const report: unknown = process.report.getReport()
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined
  const { header } = report
  if (typeof header !== 'object' || header === null || !('glibcVersionRuntime' in header)) return undefined
  return typeof header.glibcVersionRuntime === 'string' ? header.glibcVersionRuntime : undefined
}

/**
 * Compares two glibc versions, "major.minor".
 *
 * @param version - `undefined`, no glibc at all, counts as older than every version
 */
export function isGlibcAtLeast(version: string | undefined, oldest: string): boolean {
  if (version === undefined) return false
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}
