import type { ReactNode } from 'react'

/** A column by its words, and whether it has figures; false: it is left out. */
type Column = ReactNode | readonly [words: ReactNode, look: 'num']

/** The first row of a table. */
export function TableHead({ of }: { readonly of: readonly Column[] }): ReactNode {
  return (
    <thead>
      <tr>
        {of.map((column, index) => {
          if (column === false) return null
          const [words, look] = isFigures(column) ? column : [column, undefined]
          return (
            // oxlint-disable-next-line react/no-array-index-key
            <th key={index} scope="col" className={look}>
              {words}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

function isFigures(column: Column): column is readonly [words: ReactNode, look: 'num'] {
  return Array.isArray(column)
}
