/**
 * A name in Pascal case for each capability, no two alike: `text-stats` → `TextStats`, a second one that comes to
 * the same → `TextStats2`. In declared order, so that adding a capability at the end renames none.
 */
export function nameTypes(capabilities: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map(
    capabilities.map(capability => {
      const name = firstFree(pascalCase(capability), taken)
      taken.add(name)
      return [capability, name]
    }),
  )
}

/**
 * Letters that have been letters since long before any tool in use: newer ones are in identifiers here and not
 * there. Latin, Greek, Cyrillic, Japanese, Chinese, Korean.
 */
const WORD =
  /[A-Za-z0-9\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0217\u0391-\u03A1\u03A3-\u03CE\u0401-\u040C\u040E-\u044F\u0451-\u045C\u3041-\u3094\u30A1-\u30FA\u4E00-\u9FA5\uAC00-\uD7A3]+/g

function pascalCase(capability: string): string {
  const words = capability.normalize('NFC').match(WORD) ?? []
  const name = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^(?:\d|$)/.test(name) ? `Capability${name}` : name
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}${number}`
    if (!taken.has(candidate)) return candidate
  }
}
