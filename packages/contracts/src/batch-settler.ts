// Generated from sol/BatchSettler.sol by scripts/compile.mjs; do not edit.
// solc 0.8.37+commit.f401782d, optimizer 200 runs, evmVersion cancun, no metadata.

/**
 * The ABI of BatchSettler.
 *
 * @example
 * ```ts
 * import { BATCH_SETTLER_ADDRESS } from '@farebox/contracts/addresses'
 * import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
 * import { createPublicClient, http } from 'viem'
 *
 * const client = createPublicClient({ transport: http('https://sepolia.base.org') })
 * const code = await client.getCode({ address: BATCH_SETTLER_ADDRESS })
 * console.log(code === batchSettlerDeployedBytecode ? 'deployed' : 'not deployed')
 * ```
 */
export const batchSettlerAbi = [
  {
    inputs: [
      { internalType: 'uint256', name: 'index', type: 'uint256' },
    ],
    name: 'NotEnoughGas',
    type: 'error',
  },
  {
    inputs: [
      { internalType: 'uint256', name: 'count', type: 'uint256' },
    ],
    name: 'TooManyItems',
    type: 'error',
  },
  {
    inputs: [
      { internalType: 'address', name: 'token', type: 'address' },
      { internalType: 'uint256', name: 'gasEach', type: 'uint256' },
      {
        components: [
          { internalType: 'address', name: 'from', type: 'address' },
          { internalType: 'address', name: 'to', type: 'address' },
          { internalType: 'uint256', name: 'value', type: 'uint256' },
          { internalType: 'uint256', name: 'validAfter', type: 'uint256' },
          { internalType: 'uint256', name: 'validBefore', type: 'uint256' },
          { internalType: 'bytes32', name: 'nonce', type: 'bytes32' },
          { internalType: 'uint8', name: 'v', type: 'uint8' },
          { internalType: 'bytes32', name: 'r', type: 'bytes32' },
          { internalType: 'bytes32', name: 's', type: 'bytes32' },
          { internalType: 'bytes32', name: 'codeHash', type: 'bytes32' },
        ],
        internalType: 'struct BatchSettler.Item[]',
        name: 'items',
        type: 'tuple[]',
      },
    ],
    name: 'settle',
    outputs: [
      { internalType: 'uint256', name: 'paid', type: 'uint256' },
    ],
    stateMutability: 'nonpayable',
    type: 'function',
  },
] as const

/** The code that creates BatchSettler: send it in a transaction without `to`. */
export const batchSettlerBytecode: `0x${string}` =
  '0x6080604052348015600e575f5ffd5b506101b48061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610029575f3560e01c8063207e1fc51461002d575b5f5ffd5b61004061003b366004610120565b610052565b60405190815260200160405180910390f35b5f61010082111561007c576040516246186160e91b81526004810183905260240160405180910390fd5b6040516371f70b0760e11b8152835f5b84811015610115575f61012083013580156100b25761012084013584353f1491506100b9565b83353b1591505b5080156101045760c888015a60061c5a0310156100e357635e31f86060e01b5f528160045260245ffd5b6101208360048601375f5f610124865f8d8df115610104576001821b851794505b50610140919091019060010161008c565b505050949350505050565b5f5f5f5f60608587031215610133575f5ffd5b84356001600160a01b0381168114610149575f5ffd5b935060208501359250604085013567ffffffffffffffff81111561016b575f5ffd5b8501601f8101871361017b575f5ffd5b803567ffffffffffffffff811115610191575f5ffd5b876020610140830284010111156101a6575f5ffd5b94979396506020019450505056'

/** The runtime code of BatchSettler, complete as it stands: it can be placed at any address. */
export const batchSettlerDeployedBytecode: `0x${string}` =
  '0x608060405234801561000f575f5ffd5b5060043610610029575f3560e01c8063207e1fc51461002d575b5f5ffd5b61004061003b366004610120565b610052565b60405190815260200160405180910390f35b5f61010082111561007c576040516246186160e91b81526004810183905260240160405180910390fd5b6040516371f70b0760e11b8152835f5b84811015610115575f61012083013580156100b25761012084013584353f1491506100b9565b83353b1591505b5080156101045760c888015a60061c5a0310156100e357635e31f86060e01b5f528160045260245ffd5b6101208360048601375f5f610124865f8d8df115610104576001821b851794505b50610140919091019060010161008c565b505050949350505050565b5f5f5f5f60608587031215610133575f5ffd5b84356001600160a01b0381168114610149575f5ffd5b935060208501359250604085013567ffffffffffffffff81111561016b575f5ffd5b8501601f8101871361017b575f5ffd5b803567ffffffffffffffff811115610191575f5ffd5b876020610140830284010111156101a6575f5ffd5b94979396506020019450505056'
