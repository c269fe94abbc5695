import { sha256Base64 } from '../core/crypto.ts'

export interface StyledPage {
  readonly html: string
  /** Hashes of the style sheets in the page, as sources for the content policy. */
  readonly hashes: readonly string[]
}

/**
 * Replaces the links to style sheets by the sheets themselves, so that the page is painted without waiting for them. `styleOf` returns
 * the sheet of an address, or undefined if the link stays.
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

/** The content policy of a page that contains these style sheets. */
export const policyWith = (policy: string, hashes: readonly string[]): string =>
  policy.replace("style-src 'self'", ["style-src 'self'", ...hashes].join(' '))
