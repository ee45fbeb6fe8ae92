/**
 * Length in Unicode code points, as JSON Schema counts it (D18): an emoji outside the basic plane counts 1, a family joined
 * with ZWJ counts its parts and joiners, a lone surrogate counts 1.
 */
export function countCodePoints(text: string): number {
  let points = text.length
  for (let index = 1; index < text.length; index += 1) {
    const isPair = isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))
    if (isPair) points -= 1
  }
  return points
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
