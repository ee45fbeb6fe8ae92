import type { PortRef } from '../document/flow.ts'
import type { Graph } from './graph.ts'
import type { InputPort, OutputPort } from './ports.ts'

/** The input of a reference; undefined when its step has no input of that name. */
export function findInput({ inputsOf }: Pick<Graph, 'inputsOf'>, to: PortRef): InputPort | undefined {
  return inputsOf(to.step).find(({ name }) => name === to.port)
}

/** The output of a reference; undefined when its step has no output of that name. */
export function findOutput({ outputsOf }: Pick<Graph, 'outputsOf'>, from: PortRef): OutputPort | undefined {
  return outputsOf(from.step).find(({ name }) => name === from.port)
}
