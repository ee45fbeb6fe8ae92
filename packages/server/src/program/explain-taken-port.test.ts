import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { explainTakenPort } from './explain-taken-port.ts'

async function listen(port: number): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

test('a port in use is reported with its process and the variable that sets another', async () => {
  const port = await explainTakenPort('FACILITATOR_PORT', 0, () => listen(0))
  const owner =
    process.platform === 'linux' ? `taken by process ${process.pid} (` : 'in use by another program'
  await expect(explainTakenPort('FACILITATOR_PORT', port, () => listen(port))).rejects.toThrow(
    `cannot listen: port ${port} is ${owner}`,
  )
  await expect(explainTakenPort('FACILITATOR_PORT', port, () => listen(port))).rejects.toThrow(
    /: end that, or set FACILITATOR_PORT$/,
  )
})

test('any other failure to listen is passed on unchanged', async () => {
  const failure = new Error('no')
  await expect(explainTakenPort('PLATFORM_PORT', 1, () => Promise.reject(failure))).rejects.toBe(failure)
})
