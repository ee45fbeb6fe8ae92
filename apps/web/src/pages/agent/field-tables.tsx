import type { AgentPage } from '@farebox/platform-api/agent'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { describeWhole } from '../../fields/describe-rule.ts'
import { Words } from '../../parts/words.tsx'
import { FieldName } from '../../fields/field-name.tsx'
import { TableHead } from '../../parts/table.tsx'

const MOST_ROWS = 40

/** What goes into a capability and what comes out, as tables. */
export function FieldTables({
  capability,
}: {
  readonly capability: AgentPage['capabilities'][number]
}): ReactNode {
  return (
    <section id="fields">
      <div className="heading">
        <h2>Inputs and outputs</h2>
        <span className="end mono">
          <bdi>{capability.name}</bdi>
        </span>
      </div>
      <div className="two">
        <Table caption="Input" fields={capability.input_schema as FieldMap} isInput />
        <Table caption="Output" fields={capability.output_schema as FieldMap} isInput={false} />
      </div>
    </section>
  )
}

function Table(props: {
  readonly caption: string
  readonly fields: FieldMap
  readonly isInput: boolean
}): ReactNode {
  const { caption, fields, isInput } = props
  const entries = Object.entries(fields)
  const ruleOf = (field: Field): string =>
    [
      describeWhole(field, isInput && field.required === true),
      !isInput && field.required === false ? 'optional' : '',
    ]
      .filter(said => said !== '')
      .join(', ')
  const hasRules = entries.some(([, field]) => ruleOf(field) !== '')
  return (
    <table className="stack">
      <TableHead of={[caption, 'Description', hasRules && ['Rule', 'num']]} />
      <tbody>
        {entries.slice(0, MOST_ROWS).map(([name, field]) => (
          <tr key={name}>
            <td>
              <FieldName name={name} field={field} />
            </td>
            <td className="quiet">
              {field.description === undefined ? (
                <span className="faint">no description</span>
              ) : (
                <Words of={field.description} />
              )}
            </td>
            {hasRules && (
              <td className="quiet rule">
                <bdi>{ruleOf(field)}</bdi>
              </td>
            )}
          </tr>
        ))}
        {entries.length > MOST_ROWS && (
          <tr>
            <td colSpan={3} className="faint">
              and {entries.length - MOST_ROWS} more
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
