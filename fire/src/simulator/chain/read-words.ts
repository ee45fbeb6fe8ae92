/** The parameters of a call as words of 64 digits, as addresses and as numbers. */
export function readWords(data: string) {
  const digits = (index: number): string => data.slice(10 + index * 64, 74 + index * 64)
  return {
    bytes32: (index: number) => `0x${digits(index)}` as const,
    address: (index: number) => `0x${digits(index).slice(24)}` as const,
    uint: (index: number) => BigInt(`0x${digits(index)}`),
  }
}
