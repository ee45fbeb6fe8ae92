import { FLOW_OUTPUT, type JobStep } from '@farebox/flows/document/flow'
import { commentText, propertyName, stringLiteral } from '../../types/source-text.ts'
import { adapterCode, conditionCode, portCode, sourceCode, type CodeParts } from './step-code.ts'

/** The capability of an agent that was exported from a flow. */
export const CAPABILITY = 'run'

const VALUES = 'given first pick text toNumber listOf rename contains equals secret'.split(' ')

/** Writes `handlers.ts`: one statement for each step, in order; independent jobs are hired in parallel. */
export function writeHandlers(parts: CodeParts): string {
  const body = statements(parts).join('\n')
  const outputs = parts.graph.flow.outputs.flatMap(name => {
    const wire = parts.graph.wireTo({ step: FLOW_OUTPUT, port: name })
    return wire === undefined ? [] : [`    ${propertyName(name)}: ${sourceCode(parts, wire.from)},`]
  })
  const code = `${body}\n  return given<RunOutput>({\n${outputs.join('\n')}\n  })`
  const used = VALUES.filter(name => new RegExp(String.raw`\b${name}[(<]|\(${name}\)`).test(code)).toSorted()
  return `import type { Handlers, RunOutput } from './agent.d.ts'
import { AGENTS } from './agents.ts'
import { ${used.join(', ')} } from './flow-values.ts'

// Written once, from the flow ${commentText(JSON.stringify(parts.graph.flow.name))}. It is yours now: nothing writes it again.
//
// What is paid to others is lost where this job fails afterwards. Each hire has a key, by which a run that begins again
// finds what it has bought, so keep the keys.

const ${CAPABILITY}: Handlers['${CAPABILITY}'] = async (input, ctx) => {
${code}
}

export default { ${CAPABILITY} }
`
}

function statements(parts: CodeParts): readonly string[] {
  const { graph } = parts
  const lines: string[] = []
  let together: string[] = []
  const flush = (): void => {
    lines.push(...hireTogether(parts, together))
    together = []
  }
  for (const id of graph.order) {
    const step = graph.flow.steps[id]
    if (step === undefined) continue
    if (waitsFor(parts, id, together)) flush()
    if (step.kind === 'job') together.push(id)
    else if (step.kind !== 'approval' && step.kind !== 'wait') {
      const made = adapterCode(parts, id, step)
      lines.push(`  const ${parts.names.step(id)} = ${when(parts, id, made)}`)
    }
  }
  flush()
  return lines
}

function waitsFor({ graph }: CodeParts, id: string, others: readonly string[]): boolean {
  const after = (graph.flow.steps[id]?.after ?? []).map(({ step }) => step)
  return [...graph.sourcesOf(id), ...after].some(source => others.includes(source))
}

function hireTogether(parts: CodeParts, ids: readonly string[]): readonly string[] {
  const hires = ids.flatMap(id => {
    const step = parts.graph.flow.steps[id]
    return step?.kind === 'job' ? [{ id, step, name: parts.names.step(id) }] : []
  })
  const about = hires.map(({ id, step }) => {
    const { agent_name: agent, price } = step.pinned
    return `  // ${commentText(step.label ?? id)}: ${commentText(agent)}, ${price} USDC`
  })
  const [only] = hires
  if (only === undefined) return []
  const code = (id: string, step: JobStep): string => when(parts, id, hireCode(parts, id, step))
  if (hires.length === 1)
    return [
      ...about,
      `  const ${only.name} = ${awaited(parts, only.id, hireCode(parts, only.id, only.step))}`,
    ]
  const names = hires.map(({ name }) => name).join(', ')
  const all = hires.map(({ id, step }) => `    ${code(id, step)},`)
  return [...about, `  const [${names}] = await Promise.all([`, ...all, '  ])']
}

function awaited(parts: CodeParts, id: string, code: string): string {
  const condition = conditionCode(parts, id)
  return condition === undefined ? `await ${code}` : `${condition} ? await ${code} : undefined`
}

function when(parts: CodeParts, id: string, code: string): string {
  const condition = conditionCode(parts, id)
  return condition === undefined ? code : `${condition} ? (${code}) : undefined`
}

function hireCode(parts: CodeParts, id: string, step: JobStep): string {
  const ports = Object.keys(step.pinned.input_schema)
  const inputs = ports.flatMap(port => {
    const code = port === step.map?.port ? 'item' : portCode(parts, id, port)
    return code === undefined ? [] : [`${propertyName(port)}: ${code}`]
  })
  const { price } = step.pinned
  const agent = `AGENTS.${parts.names.agent(step.agent_id)}`
  const hire = (key: string): string =>
    `ctx.hire(${agent}, ${stringLiteral(step.capability)}, given({ ${inputs.join(', ')} }), { key: ${key}, maxPrice: '${price}' })`
  if (step.map === undefined) return hire(stringLiteral(id))
  const list = portCode(parts, id, step.map.port) ?? 'undefined'
  return `Promise.all(listOf(${list}, ${step.map.most}).map((item, at) => ${hire(`\`${id} \${at}\``)}))`
}
