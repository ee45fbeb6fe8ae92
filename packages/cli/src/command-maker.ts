import type { Command } from 'commander'
import type { World } from './world.ts'

/** Makes one command; its action tells `end` its exit code where that is not 0. */
export type CommandMaker = (world: World, end: (exitCode: number) => void) => Command
