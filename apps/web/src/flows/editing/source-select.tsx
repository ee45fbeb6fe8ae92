import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { findInput, findOutput } from '@farebox/flows/internal/graph/find-port'
import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { groupDigits } from '../../format/amount.ts'
import { askWhenRun } from '../editor/edit-actions.ts'
import { showValue } from '../view/show-value.ts'
import { BEST_GRADES, keyOfPort, sourcesFor, type FittingPort } from '../view/fits.ts'
import type { Feed, PortView } from '../view/views.ts'
import type { FlowView } from '../view/flow-view.ts'
import { wordsOfSource } from '../view/node-view.ts'
import { useEditor } from '../editor/use-editor.ts'

/** Selects the source of an input. The outputs that fit are computed when the reader opens the list. */
export function SourceSelect(props: {
  readonly to: PortRef
  readonly port: PortView
  /** Whether the reader types a value for it, even while the field is empty. */
  readonly isTyped: boolean
  readonly setTyped: (isTyped: boolean) => void
}): ReactNode {
  const { to, port, isTyped, setTyped } = props
  const editor = useEditor()
  const [fits, setFits] = useState<readonly FittingPort[]>()
  const { feed } = port
  const { graph } = editor.live.read()
  const wired = feed?.by === 'wire' ? feed : undefined
  const value = wired !== undefined ? keyOfPort(wired.from) : isTyped ? 'value' : 'nothing'
  const load = (): void => flushSync(() => setFits(bestFirst(editor.live.read(), to)))
  const choose = (chosen: string): void => {
    setTyped(chosen === 'value')
    const fit = fits?.find(one => keyOfPort(one.port) === chosen)
    if (fit !== undefined) editor.store.edit([{ edit: 'connect', from: fit.port, to }])
    else if (chosen === 'ask') askWhenRun(editor, to)
    else
      editor.store.edit([
        { edit: 'disconnect', to },
        { edit: 'clear-constant', to },
      ])
  }
  const isOutput = to.step === FLOW_OUTPUT
  const others = (fits ?? []).filter(one => keyOfPort(one.port) !== value)
  return (
    <select
      className={`feeder ${wired?.grade ?? ''} ${port.finding ?? ''}`}
      aria-label={`Source for ${port.name}`}
      value={value}
      onPointerDown={load}
      onFocus={load}
      onChange={({ target }) => choose(target.value)}
    >
      {wired !== undefined && <option value={value}>{describeWired(graph, wired)}</option>}
      <option value="nothing">{describeNothing(port, isOutput)}</option>
      {others.map(fit => (
        <option key={keyOfPort(fit.port)} value={keyOfPort(fit.port)}>
          {wordsOfSource(graph, fit.port)}
          {describeGrade(fit)}
        </option>
      ))}
      {!isOutput && <option value="value">a fixed value</option>}
      {!isOutput && port.state !== 'gone' && <option value="ask">ask when the flow runs</option>}
    </select>
  )
}

/** Sorts outputs: those that a repair would choose, then those of the same type, then by how well they fit. */
function bestFirst({ graph, check }: FlowView, to: PortRef): readonly FittingPort[] {
  const finding = check.findings.find(({ step, port }) => step === to.step && port === to.port)
  const proposed = (finding?.repairs ?? []).flatMap(({ edits }) =>
    edits.flatMap(edit => (edit.edit === 'connect' ? [keyOfPort(edit.from)] : [])),
  )
  const typeOf = (from: PortRef): string | undefined => {
    const type = findOutput(graph, from)?.type
    return type === undefined || type === 'any' ? undefined : type.type
  }
  const input = findInput(graph, to)?.type ?? 'any'
  const wanted = input === 'any' ? undefined : input.type
  const rank = ({ port, grade }: FittingPort): number => {
    const place = proposed.indexOf(keyOfPort(port))
    if (place !== -1) return place - proposed.length
    return (typeOf(port) === wanted ? 0 : BEST_GRADES.length) + BEST_GRADES.indexOf(grade)
  }
  return sourcesFor(graph, to).toSorted((one, other) => rank(one) - rank(other))
}

/** A warning for an output whose value is converted or may be rejected. */
function describeGrade({ grade, reason }: FittingPort): string {
  if (grade === 'same') return ''
  if (grade === 'safe') return ', converted'
  const most = /length (?:of at most|from \d+ to) (\d+) characters$/.exec(reason)?.[1]
  return most === undefined
    ? ', may be rejected'
    : ` (rejected if longer than ${groupDigits(most)} characters)`
}

function describeNothing({ required, feed }: PortView, isOutput: boolean): string {
  if (isOutput || required) return 'choose a source'
  const standard = feed?.by === 'nothing' ? feed.standard : undefined
  return standard === undefined ? 'nothing (not used)' : `nothing (uses ${showValue(standard, 24)})`
}

function describeWired(graph: Graph, feed: Extract<Feed, { readonly by: 'wire' }>): string {
  const words =
    feed.from.step === FLOW_INPUT
      ? `from flow input “${feed.from.port}”`
      : `from ${wordsOfSource(graph, feed.from)}`
  switch (feed.grade) {
    case 'same':
      return words
    case 'safe':
      return `${words}, converted`
    case 'lossy':
      return `${words}, may be rejected`
    case 'impossible':
      return `${words}, not compatible`
    case 'broken':
      return `${words}, broken`
  }
}
