// Figures in columns, as the commands of this folder print them.

/**
 * Formats rows of texts as aligned lines, each indented by two.
 *
 * @param {string[][]} rows
 * @param {{ right?: number[] }} options the right-aligned columns; the others are left-aligned
 */
export function inColumns(rows, { right = [] } = {}) {
  const widths = rows.reduce(
    (widest, row) => row.map((text, column) => Math.max(text.length, widest[column] ?? 0)),
    [],
  )
  return rows
    .map(row => {
      const cells = row.map((text, column) =>
        right.includes(column) ? text.padStart(widths[column]) : text.padEnd(widths[column]),
      )
      return `  ${cells.join('  ')}`.trimEnd() + '\n'
    })
    .join('')
}

/** 1_234_567 → `1,235 kB`. */
export function kilobytes(bytes) {
  return `${Math.round(bytes / 1_000).toLocaleString('en-US')} kB`
}

/** 1_234_567 → `1.2 MB`. */
export function megabytes(bytes) {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
