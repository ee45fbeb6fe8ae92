import { fileURLToPath } from 'node:url'
import { batchSettlerBytecode, batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { COMPILER } from '@farebox/contracts/internal/compiler'
import type { DeployCommand } from '@farebox/server/internal/deploy/run-deploy-command'
import { FACILITATOR_VARIABLES } from './variables.ts'

/** `farebox-facilitator deploy-settler`: deploys BatchSettler to the chain of FACILITATOR_NETWORK. */
export const DEPLOY_SETTLER: DeployCommand = {
  name: 'farebox-facilitator deploy-settler',
  summary: 'puts the BatchSettler contract on a chain, after showing what it costs',
  contract: {
    name: 'BatchSettler',
    creationCode: batchSettlerBytecode,
    runtimeCode: batchSettlerDeployedBytecode,
  },
  verification: {
    contract: 'BatchSettler.sol:BatchSettler',
    compiler: COMPILER.version,
    settings: COMPILER.settings,
    constructorArguments: '0x',
    standardJsonInput: fileURLToPath(
      import.meta.resolve('@farebox/contracts/verification/batch-settler.json'),
    ),
  },
  networkVariable: { name: 'FACILITATOR_NETWORK', help: FACILITATOR_VARIABLES.FACILITATOR_NETWORK },
  rpcUrlHelp: FACILITATOR_VARIABLES.EVM_RPC_URL,
  settingsFor: address => [`# nothing to set: facilitators find BatchSettler at ${address} by themselves`],
}
