import { fileURLToPath } from 'node:url'
import { agentRegistryBytecode, agentRegistryDeployedBytecode } from '@farebox/contracts/agent-registry'
import { COMPILER } from '@farebox/contracts/internal/compiler'
import type { DeployCommand } from '@farebox/server/internal/deploy/run-deploy-command'
import { PLATFORM_VARIABLES } from './variables.ts'

/** `farebox-platform deploy-registry`: deploys the AgentRegistry contract to the chain of PLATFORM_NETWORK. */
export const DEPLOY_REGISTRY: DeployCommand = {
  name: 'farebox-platform deploy-registry',
  summary: 'puts the AgentRegistry contract on a chain, after showing what it costs',
  contract: {
    name: 'AgentRegistry',
    creationCode: agentRegistryBytecode,
    runtimeCode: agentRegistryDeployedBytecode,
  },
  verification: {
    contract: 'AgentRegistry.sol:AgentRegistry',
    compiler: COMPILER.version,
    settings: COMPILER.settings,
    constructorArguments: '0x',
    standardJsonInput: fileURLToPath(
      import.meta.resolve('@farebox/contracts/verification/agent-registry.json'),
    ),
  },
  networkVariable: { name: 'PLATFORM_NETWORK', help: PLATFORM_VARIABLES.PLATFORM_NETWORK },
  rpcUrlHelp: PLATFORM_VARIABLES.EVM_RPC_URL,
  settingsFor: (address, blockNumber) => [
    `AGENT_REGISTRY_ADDRESS=${address}`,
    blockNumber === undefined
      ? '# AGENT_REGISTRY_BLOCK: this node keeps no old states; a block explorer has it'
      : `AGENT_REGISTRY_BLOCK=${blockNumber}`,
  ],
}
