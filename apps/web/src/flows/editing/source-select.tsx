import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { groupDigits } from '../../format/amount.ts'
import { askWhenRun } from '../editor/edit-actions.ts'
import { describeValue } from '../view/show-value.ts'
import { sourcesFor, type Fit } from '../view/fits.ts'
import type { PortView } from '../view/views.ts'
import type { FlowView } from '../view/flow-view.ts'
import { wordsOfSource } from '../view/node-view.ts'
import { useEditor } from '../editor/use-editor.ts'

/** What feeds an input, to be chosen from all that can. What can is worked out when somebody wants to choose. */
export function SourceSelect(props: {
  readonly to: PortRef
  readonly port: PortView
  /** Whether a value is typed for it, also while there is none yet. */
  readonly isTyped: boolean
  readonly setTyped: (isTyped: boolean) => void
}): ReactNode {
  const { to, port, isTyped, setTyped } = props
  const editor = useEditor()
  const [fits, setFits] = useState<readonly Fit[]>()
  const { feed } = port
  const { graph } = editor.live.read()
  const wired = feed?.by === 'wire' ? feed : undefined
  const value = wired !== undefined ? keyOf(wired.from) : isTyped ? 'value' : 'nothing'
  const load = (): void => flushSync(() => setFits(bestFirst(editor.live.read(), to)))
  const choose = (chosen: string): void => {
    setTyped(chosen === 'value')
    const fit = fits?.find(one => keyOf(one.port) === chosen)
    if (fit !== undefined) editor.store.edit([{ edit: 'connect', from: fit.port, to }])
    else if (chosen === 'ask') askWhenRun(editor, to)
    else
      editor.store.edit([
        { edit: 'disconnect', to },
        { edit: 'clear-constant', to },
      ])
  }
  const isOutput = to.step === FLOW_OUTPUT
  const others = (fits ?? []).filter(one => keyOf(one.port) !== value)
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
        <option key={keyOf(fit.port)} value={keyOf(fit.port)}>
          {wordsOfSource(graph, fit.port)}
          {describeGrade(fit)}
        </option>
      ))}
      {!isOutput && <option value="value">a fixed value</option>}
      {!isOutput && port.state !== 'gone' && <option value="ask">ask when the flow runs</option>}
    </select>
  )
}

/** What a repair would choose first, then what is of the same type, then by how well it fits. */
function bestFirst({ graph, check }: FlowView, to: PortRef): readonly Fit[] {
  const finding = check.findings.find(({ step, port }) => step === to.step && port === to.port)
  const proposed = (finding?.repairs ?? []).flatMap(({ edits }) =>
    edits.flatMap(edit => (edit.edit === 'connect' ? [keyOf(edit.from)] : [])),
  )
  const typeOf = ({ step, port }: PortRef): string | undefined => {
    const type = graph.outputsOf(step).find(({ name }) => name === port)?.type
    return type === undefined || type === 'any' ? undefined : type.type
  }
  const input = graph.inputsOf(to.step).find(({ name }) => name === to.port)?.type ?? 'any'
  const wanted = input === 'any' ? undefined : input.type
  const rank = ({ port, grade }: Fit): number => {
    const place = proposed.indexOf(keyOf(port))
    if (place !== -1) return place - proposed.length
    return (typeOf(port) === wanted ? 0 : GRADES.length) + GRADES.indexOf(grade)
  }
  return sourcesFor(graph, to).toSorted((one, other) => rank(one) - rank(other))
}

const GRADES = ['same', 'safe', 'lossy'] as const

/** How it fits, where that is worth knowing before it is chosen. */
function describeGrade({ grade, reason }: Fit): string {
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
  return standard === undefined ? 'nothing (not used)' : `nothing (uses ${describeValue(standard, 24)})`
}

function describeWired(
  graph: ReturnType<ReturnType<typeof useEditor>['live']['read']>['graph'],
  feed: Extract<NonNullable<PortView['feed']>, { readonly by: 'wire' }>,
): string {
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

function keyOf({ step, port }: PortRef): string {
  return `${step} ${port}`
}
