import type { JobStep, PortRef, Step } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { MAX_MAPPED_ITEMS } from '@farebox/flows/internal/document/flow-limits'
import { stepsBehind } from '@farebox/flows/internal/graph/steps-before'
import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { giveFromFlow } from '../editor/edit-actions.ts'
import { isSamePort, keyOfPort } from '../view/fits.ts'
import { wordsOfSource } from '../view/node-view.ts'
import { PortShape } from './port-shape.tsx'
import { ChoiceSetting, NumberSetting, SettingLine, TextSetting } from '../settings/setting-fields.tsx'
import { useEditor, useFlowView, useNodeView } from '../editor/use-editor.ts'

/** Rarely changed settings: the step's name, one job for each item of a list, and steps that have to run first. */
export function StepMore({ id, step }: { readonly id: string; readonly step: Step }): ReactNode {
  const { store } = useEditor()
  const change = (changed: Step): void =>
    store.edit([{ edit: 'replace-step', id, step: changed }], { join: `more of ${id}` })
  return (
    <>
      <TextSetting
        label="Name"
        value={step.label ?? ''}
        most={64}
        isEmptyFine
        hint="If you leave this empty, the step will be named after what it does."
        onChange={label => {
          const { label: _, ...rest } = step
          change(label === '' ? rest : { ...rest, label })
        }}
      />
      {step.kind === 'job' && <MapSetting step={step} change={change} />}
      <AfterSetting id={id} step={step} change={change} />
    </>
  )
}

function MapSetting({
  step,
  change,
}: {
  readonly step: JobStep
  readonly change: (step: Step) => void
}): ReactNode {
  const { map, ...rest } = step
  const names = Object.keys(step.pinned.input_schema)
  return (
    <>
      <ChoiceSetting
        label="Jobs"
        value={map === undefined ? '' : `each ${map.port}`}
        choices={[
          ['', 'one'],
          ...names.map(name => [`each ${name}`, `one for each item of a list sent to “${name}”`] as const),
        ]}
        onChange={chosen =>
          change(chosen === '' ? rest : { ...rest, map: { port: chosen.slice(5), most: map?.most ?? 10 } })
        }
      />
      {map !== undefined && (
        <NumberSetting
          label="Maximum items (you pay for one job per item)"
          value={map.most}
          least={1}
          most={MAX_MAPPED_ITEMS}
          onChange={most => change({ ...rest, map: { port: map.port, most } })}
        />
      )}
    </>
  )
}

/**
 * Outputs that a step waits for without taking their values. The choices are computed when the reader opens the list: the
 * outline has one such list for each step, and each is as long as all outputs together.
 */
function AfterSetting(props: {
  readonly id: string
  readonly step: Step
  readonly change: (step: Step) => void
}): ReactNode {
  const { id, step, change } = props
  const { live } = useEditor()
  const graph = useFlowView(view => view.graph)
  const [known, setKnown] = useState<readonly PortRef[]>([])
  const after = step.after ?? []
  const load = (): void => flushSync(() => setKnown(outputsBefore(live.read().graph, id)))
  const offered = known.filter(source => !after.some(one => isSamePort(one, source)))
  const put = (changed: readonly PortRef[]): void => {
    const { after: _, ...rest } = step
    change(changed.length === 0 ? rest : { ...rest, after: changed })
  }
  return (
    <SettingLine label="Waits for" id={`${id}-after`}>
      {after.map(source => (
        <p key={keyOfPort(source)} className="row">
          <span>
            <bdi>{wordsOfSource(graph, source)}</bdi>
          </span>
          <button
            type="button"
            className="link small"
            onClick={() => put(after.filter(one => !isSamePort(one, source)))}
          >
            Do not wait
          </button>
        </p>
      ))}
      <select
        id={`${id}-after`}
        className="input"
        value=""
        onPointerDown={load}
        onFocus={load}
        onChange={({ target }) => {
          const source = offered.find(one => keyOfPort(one) === target.value)
          if (source !== undefined) put([...after, source])
        }}
      >
        <option value="">
          {after.length === 0 ? 'only the steps that supply its input' : 'another step as well'}
        </option>
        {offered.map(source => (
          <option key={keyOfPort(source)} value={keyOfPort(source)}>
            {wordsOfSource(graph, source)}
          </option>
        ))}
      </select>
    </SettingLine>
  )
}

/** The outputs of all steps that do not wait for this one, in the order of the run. */
function outputsBefore(graph: Graph, id: string): readonly PortRef[] {
  const behind = stepsBehind(graph, id)
  return graph.order
    .filter(other => !behind.has(other))
    .flatMap(other => graph.outputsOf(other).map(({ name }) => ({ step: other, port: name })))
}

/** The outputs of a step, with the choice of which ones the flow returns. */
export function StepOutputs({ id }: { readonly id: string }): ReactNode {
  const editor = useEditor()
  const node = useNodeView(id)
  const wires = useFlowView(view => view.wires)
  if (node === undefined || node.outputs.length === 0) return null
  const isGiven = (name: string): boolean =>
    wires.some(({ from, to }) => from.step === id && from.port === name && to.step === 'output')
  return (
    <ul className="gives">
      {node.outputs.map(port => (
        <li key={port.name} className={port.state}>
          <PortShape type={port.type} />
          <span className="name">
            <bdi>{port.name}</bdi>
          </span>
          {isGiven(port.name) ? (
            <span className="faint">returned by the flow</span>
          ) : (
            port.state !== 'gone' && (
              <button
                type="button"
                className="link small"
                onClick={() => giveFromFlow(editor, { step: id, port: port.name })}
              >
                Return it from the flow<span className="unseen">: {port.name}</span>
              </button>
            )
          )}
        </li>
      ))}
    </ul>
  )
}
