/** What the bench uses of Express, which ships no types. */
declare module 'express' {
  export interface Request {
    readonly body: unknown
  }
  export interface Response {
    json(value: unknown): void
  }
  export type NextFunction = () => void
  type Handler = (request: Request, response: Response, next: NextFunction) => unknown
  interface Application {
    disable(setting: string): void
    use(handler: Handler): void
    get(path: string, ...handlers: readonly Handler[]): void
    post(path: string, ...handlers: readonly Handler[]): void
    listen(port: number, host: string): void
  }
  const express: { (): Application; json(): Handler }
  export default express
}
