import type { ReactNode } from 'react'

/** A column of a table: its heading, and its cell in each row. */
export interface Column<Row> {
  /** A table whose columns all lack headings has no heading row. */
  readonly head?: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** `num`: right-aligned figures; `title`: the cell is the heading of its row. */
  readonly look?: 'num' | 'title'
  /** The class of its cells, instead of the one that `look` implies. */
  readonly className?: string
  /** Its cell in the last row, which exists if at least one column has such a cell. */
  readonly foot?: ReactNode
}

/** A table with one line for each row, followed by `children`. A column that is false is left out. */
export function Table<Row>(props: {
  readonly columns: readonly (Column<Row> | false)[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  readonly className?: string
  /** The accessible name of the scroll area, for a table that may be wider than the space it has. */
  readonly scrollsAs?: string
  /** Rows after the others. */
  readonly children?: ReactNode
}): ReactNode {
  const { rows, keyOf, className, scrollsAs, children } = props
  const columns = props.columns.filter(column => column !== false)
  const table = (
    <table className={className}>
      {columns.some(({ head }) => head !== undefined) && (
        <TableHead of={columns.map(({ head, look }) => (look === 'num' ? ([head, look] as const) : head))} />
      )}
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Cell key={index} column={column}>
                {column.cell(row)}
              </Cell>
            ))}
          </tr>
        ))}
        {children}
      </tbody>
      {columns.some(({ foot }) => foot !== undefined) && (
        <tfoot>
          <tr>
            {columns.map((column, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Cell key={index} column={column}>
                {column.foot}
              </Cell>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  )
  if (scrollsAs === undefined) return table
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={scrollsAs}>
      {table}
    </div>
  )
}

function Cell<Row>(props: { readonly column: Column<Row>; readonly children: ReactNode }): ReactNode {
  const { look, className } = props.column
  if (look === 'title') {
    return (
      <th scope="row" className={className}>
        {props.children}
      </th>
    )
  }
  return <td className={className ?? look}>{props.children}</td>
}

/** The text of a column heading, and whether the column has figures; false for a column that is left out. */
type Head = ReactNode | readonly [words: ReactNode, look: 'num']

/** The heading row of a table. */
export function TableHead({ of }: { readonly of: readonly Head[] }): ReactNode {
  return (
    <thead>
      <tr>
        {of.map((head, index) => {
          if (head === false) return null
          const [words, look] = isFigures(head) ? head : [head, undefined]
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

function isFigures(head: Head): head is readonly [words: ReactNode, look: 'num'] {
  return Array.isArray(head)
}
