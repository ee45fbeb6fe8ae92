import type { ReactNode } from 'react'

/** A hash drawn as bars, so that the same job looks the same wherever its receipt is shown. */
export function Bars({ hash }: { readonly hash: string }): ReactNode {
  const bars: { readonly x: number; readonly width: number }[] = []
  let x = 0
  for (const digit of hash
    .replace(/^0x/, '')
    .replaceAll(/[^0-9a-f]/gi, '')
    .slice(0, 60)) {
    const value = Number.parseInt(digit, 16)
    const width = 1 + (value & 3)
    bars.push({ x, width })
    x += width + 1.6 + (value >> 2)
  }
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${Math.max(x, 1)} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label="the receipt’s hash as bars"
    >
      {bars.map(bar => (
        <rect key={bar.x} x={bar.x} width={bar.width} height="20" />
      ))}
    </svg>
  )
}
