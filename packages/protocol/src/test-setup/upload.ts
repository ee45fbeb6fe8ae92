import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Posts a body of spaces, and reads the response only after all of it was sent, as many clients do. Resolves to the status
 * of the response, or to the reason why there is none.
 */
export async function upload(url: string, bytes: number): Promise<number | string> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname }).setEncoding('latin1')
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
  try {
    await once(socket, 'connect')
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.write(head + ' '.repeat(bytes), error => (error instanceof Error ? reject(error) : resolve()))
    })
    const [answer] = (await once(socket, 'data')) as [string]
    return Number(answer.split(' ', 2)[1])
  } catch (error) {
    return `lost: ${String(error)}`
  } finally {
    socket.destroy()
  }
}
