/**
 * The approximate length of a value as JSON. Stops counting beyond `most`, which limits its time.
 *
 * @param value plain JSON
 */
export function weighJson(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 6
  let weight = 2
  for (const [name, property] of Object.entries(value)) {
    weight += (Array.isArray(value) ? 1 : name.length + 4) + weighJson(property, most - weight)
    if (weight > most) break
  }
  return weight
}
