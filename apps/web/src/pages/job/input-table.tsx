import type { FieldMap } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { FieldName } from '../../fields/field-name.tsx'
import { cutText } from '../../format/cut-text.ts'

const LONG = 2_000

/** The input of a job, field by field. */
export function InputTable(props: {
  readonly input: { readonly [name: string]: unknown } | null
  readonly fields: FieldMap
}): ReactNode {
  const { input, fields } = props
  if (input === null) return <p className="nothing faint">The input is no longer stored here.</p>
  const entries = Object.entries(input)
  if (entries.length === 0) return <p className="nothing faint">The input is empty.</p>
  return (
    <dl className="output">
      {entries.map(([name, value]) => {
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined
        const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
        return (
          <div key={name}>
            <dt>
              <FieldName name={name} field={field} />
            </dt>
            <dd>
              <span className="text">
                <bdi>{text.length > LONG ? `${cutText(text, LONG)}…` : text}</bdi>
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
