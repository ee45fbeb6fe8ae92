import { FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Finding } from '@farebox/flows/internal/check/finding'
import { memo, useDeferredValue, type ReactNode } from 'react'
import { Sign, type SignName } from '../../signs/sign.tsx'
import { nameStop } from '../describe/name-stop.ts'
import { titleFinding } from '../view/title-finding.ts'
import { useEditor, useFlowView } from '../editor/use-editor.ts'

const SIGNS: { readonly [severity in Finding['severity']]: SignName } = {
  error: 'cross',
  warning: 'warn',
  note: 'info',
}

const NONE: readonly Finding[] = []

/** All findings with their repairs, the most severe first. React renders a long list after the edit itself. */
export function FindingList(): ReactNode {
  const findings = useDeferredValue(useFlowView(({ check }) => check.findings))
  return <FindingRows findings={findings} isLed />
}

/** The findings about a step itself; findings about a port are shown at the port. */
export function StepFindings({ step }: { readonly step: string }): ReactNode {
  const findings = useFlowView(view => view.findings.get(step) ?? NONE)
  return <FindingRows findings={findings.filter(({ port }) => port === undefined)} isLed={false} />
}

const FindingRows = memo(function FindingRows(props: {
  readonly findings: readonly Finding[]
  /** Whether the title links to the step. */
  readonly isLed: boolean
}): ReactNode {
  const { findings, isLed } = props
  if (findings.length === 0) return null
  return (
    <ul className="findings">
      {findings.map((finding, index) => (
        // One rule can report two findings at the same place.
        // oxlint-disable-next-line react/no-array-index-key
        <FindingRow key={`${finding.id} ${index}`} finding={finding} isLed={isLed} />
      ))}
    </ul>
  )
})

const FindingRow = memo(function FindingRow(props: {
  readonly finding: Finding
  readonly isLed: boolean
}): ReactNode {
  const { finding, isLed } = props
  const editor = useEditor()
  const name = useFlowView(({ graph }) =>
    finding.step === undefined ? '' : nameStop(graph.flow, finding.step),
  )
  const { step, severity, port, message } = finding
  const title = titleFinding(finding)
  // An empty flow is shown as a note, because it is not a mistake.
  const look = finding.id === 'empty' ? 'note' : severity
  return (
    <li className={`finding is-${look}`}>
      <Sign name={SIGNS[look]} />
      <b>
        {step !== undefined && isLed ? (
          <button type="button" className="link" onClick={() => editor.point({ step, port })}>
            <bdi>{title}</bdi>
          </button>
        ) : (
          <bdi>{title}</bdi>
        )}
        {isLed && name !== '' && <span className="where">{name}</span>}
      </b>
      <p className="quiet">
        <bdi>{message}</bdi>
      </p>
      <Repairs finding={finding} />
    </li>
  )
})

/** Buttons that apply the repairs, the best one first, followed by one for typing a value. */
function Repairs({ finding }: { readonly finding: Finding }): ReactNode {
  const editor = useEditor()
  const { id, severity, repairs } = finding
  const typed = valueFor(finding)
  if (repairs.length === 0 && typed === undefined) return null
  return (
    <div className="row">
      {repairs.map(({ label, edits }, index) => (
        // Steps of the same name produce repairs with the same label.
        // oxlint-disable-next-line react/no-array-index-key
        <button
          key={`${label} ${index}`}
          type="button"
          className={index === 0 && severity === 'error' ? 'button low solid' : 'button low'}
          onClick={() => editor.store.edit(edits)}
        >
          <bdi>{label}</bdi>
        </button>
      ))}
      {typed !== undefined && (
        <button
          type="button"
          className="button low"
          onClick={() => editor.point({ ...typed, isTyped: true })}
        >
          {id.startsWith('unfed ') ? 'Always use…' : 'Change the value…'}
        </button>
      )}
    </div>
  )
}

/** The input for which the reader can type a value, because no repair can know it. */
function valueFor({ id, step, port }: Finding): PortRef | undefined {
  if (step === undefined || port === undefined || step === FLOW_OUTPUT) return undefined
  return id.startsWith('unfed ') || id.startsWith('constant ') ? { step, port } : undefined
}
