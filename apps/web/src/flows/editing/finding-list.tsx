import { FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Finding } from '@farebox/flows/internal/check/finding'
import { memo, useDeferredValue, type ReactNode } from 'react'
import { Sign, type SignName } from '../../signs/sign.tsx'
import { nameOf } from '../editor/edit-actions.ts'
import { titleFinding } from '../view/title-finding.ts'
import { useEditor, useFlowView } from '../editor/use-editor.ts'

const SIGNS: { readonly [severity in Finding['severity']]: SignName } = {
  error: 'cross',
  warning: 'warn',
  note: 'info',
}

const NONE: readonly Finding[] = []

/** All that was found, the worst first, with what mends it. A long list is drawn once what was changed is. */
export function FindingList(): ReactNode {
  const findings = useDeferredValue(useFlowView(({ check }) => check.findings))
  return <FindingRows findings={findings} isLed />
}

/** What was found at a step; what is about a port stands at the port. */
export function StepFindings({ step }: { readonly step: string }): ReactNode {
  const findings = useFlowView(view => view.findings.get(step) ?? NONE)
  return <FindingRows findings={findings.filter(({ port }) => port === undefined)} isLed={false} />
}

const FindingRows = memo(function FindingRows(props: {
  readonly findings: readonly Finding[]
  /** Whether it leads to where it was found. */
  readonly isLed: boolean
}): ReactNode {
  const { findings, isLed } = props
  if (findings.length === 0) return null
  return (
    <ul className="findings">
      {findings.map((finding, index) => (
        // The same rule can find two things at one place.
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
    finding.step === undefined ? '' : nameOf(graph.flow, finding.step),
  )
  const { step, severity, port, message, repairs } = finding
  const typed = valueFor(finding)
  const title = titleFinding(finding)
  // A flow that has just been begun has no fault.
  const look = finding.id === 'empty' ? 'note' : severity
  const [first, ...others] = repairs
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
      <p>
        <bdi>{message}</bdi>
      </p>
      {(first !== undefined || typed !== undefined) && (
        <div className="row">
          {first !== undefined && (
            <button
              type="button"
              className={severity === 'error' ? 'button low solid' : 'button low'}
              onClick={() => editor.store.edit(first.edits)}
            >
              <bdi>{first.label}</bdi>
            </button>
          )}
          {others.map(({ label, edits }) => (
            <button key={label} type="button" className="button low" onClick={() => editor.store.edit(edits)}>
              <bdi>{label}</bdi>
            </button>
          ))}
          {typed !== undefined && (
            <button
              type="button"
              className="button low"
              onClick={() => editor.point({ ...typed, isTyped: true })}
            >
              {finding.id.startsWith('unfed ') ? 'Always use…' : 'Change the value…'}
            </button>
          )}
        </div>
      )}
    </li>
  )
})

/** The input for which a value can be typed: what it is to be, nobody else knows. */
function valueFor({ id, step, port }: Finding): PortRef | undefined {
  if (step === undefined || port === undefined || step === FLOW_OUTPUT) return undefined
  return id.startsWith('unfed ') || id.startsWith('constant ') ? { step, port } : undefined
}
