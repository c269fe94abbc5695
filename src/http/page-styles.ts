import { sha256Base64 } from '../core/crypto.ts'

export interface StyledPage {
  readonly html: string
  /** The hashes of the style sheets in the page. The content policy lists them. */
  readonly hashes: readonly string[]
}

/**
 * Replaces links to style sheets by the content of the style sheets, so that the browser can paint the page without loading them.
 * `styleOf` returns the content for a URL, or undefined if the link is to stay.
 */
export const withStyles = (html: string, styleOf: (address: string) => string | undefined): StyledPage => {
  const hashes: string[] = []
  const styled = html.replace(/<link rel="stylesheet"[^>]*? href="([^"?]+)[^>]*>/g, (link, address: string) => {
    const sheet = styleOf(address)
    if (sheet === undefined) return link
    hashes.push(`'sha256-${sha256Base64(sheet)}'`)
    return sheet === '' ? '' : `<style>${sheet}</style>`
  })
  return { html: styled, hashes }
}

/** Adds the hashes of a page's style sheets to the content policy. */
export const policyWith = (policy: string, hashes: readonly string[]): string =>
  policy.replace("style-src 'self'", ["style-src 'self'", ...hashes].join(' '))
