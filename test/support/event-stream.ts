import type { Client } from './client.ts'

/** One message in a stream of Server-Sent Events. */
export interface Message {
  readonly id: string | undefined
  readonly event: string
  readonly data: { readonly events?: readonly { readonly type: string; readonly subjectId: string }[]; readonly reason?: string }
}

/** An open stream of events, read as a browser reads it. */
export interface EventStream {
  readonly response: Response
  /** Waits for the next message that `fits` accepts. Undefined if the stream ends before. */
  next(fits?: (message: Message) => boolean): Promise<Message | undefined>
  /** Waits for an event of this type, and returns the messages up to it. */
  until(type: string): Promise<readonly Message[]>
  /** Number of lines so far that only show that the connection is alive. */
  beats(): number
  close(): Promise<void>
}

const parse = (text: string): Message | undefined => {
  const fields = Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )
  return fields['event'] === undefined
    ? undefined
    : { id: fields['id'], event: fields['event'], data: JSON.parse(fields['data'] ?? '{}') }
}

/**
 * Opens the stream of events as a client. `lastEventId` is the last event that the client has received. Throws the server's answer if it
 * is not a stream.
 */
export const openStream = async (client: Client, lastEventId?: string): Promise<EventStream> => {
  const leave = new AbortController()
  const headers = { accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) }
  const response = await client.fetch('/admin/events/stream', { headers, signal: leave.signal })
  if (response.body === null || !response.ok) throw new Error(await response.text())
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let beats = 0
  const waiting: Message[] = []
  const next: EventStream['next'] = async (fits = () => true) => {
    for (;;) {
      const message = waiting.shift()
      if (message !== undefined && fits(message)) return message
      if (message !== undefined) continue
      const { done, value = '' } = await reader.read()
      if (done) return undefined
      const parts = (rest + value).split('\n\n')
      rest = parts.pop() ?? ''
      beats += parts.filter((part) => part === ':').length
      waiting.push(...parts.flatMap((part) => parse(part) ?? []))
    }
  }
  return {
    response,
    next,
    until: async (type) => {
      const read: Message[] = []
      for (;;) {
        const message = await next()
        if (message === undefined) throw new Error(`the stream ended before ${type}`)
        read.push(message)
        if (message.data.events?.some((event) => event.type === type) === true) return read
      }
    },
    beats: () => beats,
    close: async () => {
      leave.abort()
      await reader.cancel().catch(() => undefined)
    },
  }
}
