import { parentPort, workerData } from 'node:worker_threads'
import { compileInput, type InputCheck } from '@farebox/protocol/fields/compile'
import type { FieldMap } from '@farebox/protocol/fields/field'
import type { CheckedInput, InputOrder } from './input-messages.ts'

// The thread that checks large inputs. input-thread.ts starts it with the schemas as worker data.

const schemas = workerData as { readonly [capability: string]: FieldMap }
const checks = new Map<string, InputCheck>()

parentPort?.on('message', ({ id, capability, input }: InputOrder) => {
  const check = checks.get(capability) ?? compileInput(schemas[capability] ?? {})
  checks.set(capability, check)
  const checked: CheckedInput = { id, result: check(input) }
  parentPort?.postMessage(checked)
})
