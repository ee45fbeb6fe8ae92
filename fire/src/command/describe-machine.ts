import { availableParallelism, cpus } from 'node:os'

/** `AMD EPYC, 2 cores, Node 20.20.2` */
export function describeMachine(): string {
  const [cpu] = cpus()
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}`
}
