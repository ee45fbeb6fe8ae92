import { readFileSync } from 'node:fs'
import solc from 'solc'
import { expect, test } from 'vitest'
import { agentRegistryBytecode } from './agent-registry.ts'
import { localUsdcBytecode, localUsdcDeployedBytecode } from './local-usdc.ts'

test('the creation code of LocalUSDC contains its deployed code unchanged, because it has no immutables', () => {
  expect(localUsdcBytecode).toContain(localUsdcDeployedBytecode.slice(2))
})

test('the standard JSON input for verification compiles on its own to the deployed code', () => {
  const input = readFileSync(new URL('../verification/agent-registry.json', import.meta.url), 'utf8')
  // Without a callback: only the contents of the file can be imported.
  const output = JSON.parse(solc.compile(input)) as {
    readonly contracts: {
      readonly [file: string]: {
        readonly [name: string]: { readonly evm: { readonly bytecode: { readonly object: string } } }
      }
    }
  }
  expect(`0x${output.contracts['AgentRegistry.sol']?.['AgentRegistry']?.evm.bytecode.object}`).toBe(
    agentRegistryBytecode,
  )
})
