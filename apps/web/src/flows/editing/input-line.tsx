import type { PortRef } from '@farebox/flows/document/flow'
import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { PortShape } from './port-shape.tsx'
import { SecretMark } from './secret-mark.tsx'
import { SourceSelect } from './source-select.tsx'
import { useEditor, useFlowView, useNodeView } from '../editor/use-editor.ts'
import { ValueInput } from './value-input.tsx'

/** One input in words: its name, what feeds it, its value where it has one of its own, and what was found. */
export function InputLine({
  to,
  isAlone = false,
}: {
  readonly to: PortRef
  readonly isAlone?: boolean
}): ReactNode {
  const node = useNodeView(to.step)
  const port = node?.inputs.find(({ name }) => name === to.port)
  const type = useFlowView(({ graph }) => graph.inputsOf(to.step).find(({ name }) => name === to.port)?.type)
  const finding = useFlowView(({ findings }) =>
    findings.get(to.step)?.find(({ port: at, severity }) => at === to.port && severity === 'error'),
  )
  const [isTyped, setTyped] = useState(
    port?.feed?.by === 'value' || (isAlone && port?.feed?.by === 'nothing'),
  )
  const line = useRef<HTMLDivElement>(null)
  const editor = useEditor()
  useEffect(
    () =>
      editor.onPoint(({ step, port: name, isTyped: isWanted = false }) => {
        if (!isWanted || step !== to.step || name !== to.port) return
        setTyped(true)
        // Once its control is there.
        requestAnimationFrame(() =>
          line.current?.querySelector<HTMLElement>('dd :is(input, textarea)')?.focus(),
        )
      }),
    [editor, to.step, to.port],
  )
  if (port === undefined) return null
  const { feed } = port
  const value = feed?.by === 'value' ? feed.value : undefined
  const isValue = feed?.by === 'value' || (isTyped && feed?.by === 'nothing')
  return (
    <div className={`feed ${port.state}`} ref={line}>
      <dt>
        <PortShape type={port.type} />
        <span className="name">
          <bdi>{port.name}</bdi>
          {port.required && to.step !== 'output' && (
            <>
              <span className="star" aria-hidden="true">
                *
              </span>
              <span className="unseen"> required</span>
            </>
          )}
        </span>
        {port.state !== 'there' && (
          <span className={`tag ${port.state === 'new' ? 'info' : 'refused'}`}>{port.state}</span>
        )}
      </dt>
      <dd>
        <SourceSelect to={to} port={port} isTyped={isValue} setTyped={setTyped} />
        {isValue && type !== undefined && <ValueInput to={to} type={type} value={value} />}
        {value !== undefined && type !== undefined && canBeSecret(type) && <SecretMark to={to} />}
        {finding !== undefined && (
          <p className="hint bad">
            <bdi>{finding.message}</bdi>
          </p>
        )}
      </dd>
    </div>
  )
}

/** A number, or one of a few words, is nothing that has to be kept from anybody. */
function canBeSecret(type: PortType): boolean {
  return (
    type === 'any' ||
    (type.enum === undefined && type.type !== 'boolean' && type.type !== 'integer' && type.type !== 'number')
  )
}
