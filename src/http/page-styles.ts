import { sha256Base64 } from '../core/crypto.ts'

export interface StyledPage {
  readonly html: string
  /** Sources for the content policy: hashes of the style sheets in the page. */
  readonly hashes: readonly string[]
}

/**
 * Inserts style sheets into a page in place of their links, so that it is painted without waiting for them. `styleOf` returns the sheet
 * of an address, undefined for one that stays a link.
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

/** The content policy of a page with these style sheets in it. */
export const policyWith = (policy: string, hashes: readonly string[]): string =>
  policy.replace("style-src 'self'", ["style-src 'self'", ...hashes].join(' '))
