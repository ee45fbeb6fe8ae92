import type { AgentPage } from '@farebox/platform-api/agent'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { describeWhole } from '../../fields/describe-rule.ts'
import { Heading } from '../../parts/page/heading.tsx'
import { Words } from '../../parts/words.tsx'
import { FieldName } from '../../fields/field-name.tsx'
import { Table } from '../../parts/table.tsx'

const MOST_ROWS = 40

/** The inputs and outputs of a capability as tables. */
export function FieldTables({
  capability,
}: {
  readonly capability: AgentPage['capabilities'][number]
}): ReactNode {
  return (
    <section id="fields">
      <Heading end={<bdi>{capability.name}</bdi>} endLook="mono">
        Inputs and outputs
      </Heading>
      <div className="two">
        <FieldTable caption="Input" fields={capability.input_schema as FieldMap} isInput />
        <FieldTable caption="Output" fields={capability.output_schema as FieldMap} isInput={false} />
      </div>
    </section>
  )
}

function FieldTable(props: {
  readonly caption: string
  readonly fields: FieldMap
  readonly isInput: boolean
}): ReactNode {
  const { caption, fields, isInput } = props
  const rows = Object.entries(fields).map(([name, field]) => ({ name, field, rule: ruleOf(field, isInput) }))
  return (
    <Table
      className="stack"
      rows={rows.slice(0, MOST_ROWS)}
      keyOf={({ name }) => name}
      columns={[
        { head: caption, cell: ({ name, field }) => <FieldName name={name} field={field} /> },
        {
          head: 'Description',
          className: 'quiet',
          cell: ({ field: { description } }) =>
            description === undefined ? (
              <span className="faint">no description</span>
            ) : (
              <Words of={description} />
            ),
        },
        rows.some(({ rule }) => rule !== '') && {
          head: 'Rule',
          look: 'num',
          className: 'quiet rule',
          cell: ({ rule }) => <bdi>{rule}</bdi>,
        },
      ]}
    >
      {rows.length > MOST_ROWS && (
        <tr>
          <td colSpan={3} className="faint">
            and {rows.length - MOST_ROWS} more
          </td>
        </tr>
      )}
    </Table>
  )
}

/** The rule of a field in words. Only exceptions are named: a required input, and an optional output. */
function ruleOf(field: Field, isInput: boolean): string {
  const words = [
    describeWhole(field, isInput && field.required === true),
    !isInput && field.required === false ? 'optional' : '',
  ]
  return words.filter(word => word !== '').join(', ')
}
