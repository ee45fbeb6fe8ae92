/** A name without capitals and separators, for comparisons. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Are two plain names equal, or is one contained in the other? */
export function isAlike(one: string, other: string): boolean {
  if (one === '' || other === '') return false
  return (
    one === other || (one.length >= 3 && other.length >= 3 && (one.includes(other) || other.includes(one)))
  )
}
