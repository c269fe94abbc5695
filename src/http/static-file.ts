import { sha256 } from '../core/crypto.ts'

/** A file as it is sent, with what else the server knows about it. */
export interface StaticFile {
  readonly body: Buffer
  readonly type: string
  readonly cacheControl: string
  readonly etag: string
  /** What the file was chosen by. */
  readonly vary?: string
  /** Hashes of the style sheets in a page, for the content policy. */
  readonly styles?: readonly string[]
  /** Where it is another one than that of all answers: browsers name the origin of what a form posts only under this one. */
  readonly referrerPolicy?: 'same-origin'
  /** Written by this server and kept: the build has not compressed it. */
  readonly isWritten?: boolean
  /** As the build compressed it, or the server. */
  brotli?: Buffer
  gzip?: Buffer
}

/** The tag of a content: another one wherever a byte differs. Weak, because it is the same for each coding (RFC 9110, section 8.8.3.3). */
export const etagOf = (body: Buffer): string => `W/"${sha256(body).slice(0, 32)}"`

/** A page that was written for the languages and cookies of a browser; `vary`: what it was chosen by besides. */
export const pageFile = (html: string, ...vary: readonly string[]): StaticFile => {
  const body = Buffer.from(html)
  return {
    body,
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    vary: [...vary, 'Accept-Encoding', 'Accept-Language', 'Cookie'].join(', '),
    etag: etagOf(body),
    isWritten: true,
  }
}
