import type { Brand } from '../brand/index.ts'
import type { MailKey, TextsIn } from '../core/mail-texts.ts'

/** What of the brand stands around the words of a mail. */
export interface MailFrame {
  readonly name: string
  /** False: nobody gave a name. Subjects then name no company. */
  readonly isNamed: boolean
  readonly host: string
  /** Images that mail programs load from the public address; null where they would not: without a logo, and without TLS. */
  readonly logo: { readonly url: string; readonly darkUrl: string | null } | null
  readonly button: { readonly light: ButtonColors; readonly dark: ButtonColors }
  readonly links: Pick<Brand['links'], 'support' | 'privacy'>
  /** What every mail says besides its own words. */
  readonly texts: TextsIn<MailKey<'frame'>>
}

interface ButtonColors {
  readonly fill: string
  readonly text: string
  /** Line around a fill that is hard to see on its ground. */
  readonly edge: string
}

const plain: MailFrame['button'] = {
  light: { fill: '#14181f', text: '#ffffff', edge: '#14181f' },
  dark: { fill: '#f2f4f7', text: '#0f1115', edge: '#f2f4f7' },
}

const colorsOf = ({ palette }: Brand): MailFrame['button'] => {
  if (palette === null) return plain
  const of = (theme: 'light' | 'dark'): ButtonColors => {
    const { fill, text, edge } = plain[theme]
    const { 'accent-fill': branded = fill, 'on-accent': on = text, 'accent-edge': line = edge } = palette[theme]
    return { fill: branded, text: on, edge: line === 'transparent' ? branded : line }
  }
  return { light: of('light'), dark: of('dark') }
}

export const frameOf = (brand: Brand, publicUrl: string, texts: MailFrame['texts']): MailFrame => {
  const { name, isNamed, logo, logoDark, links } = brand
  const { protocol, host } = new URL(publicUrl)
  return {
    ...{ name, isNamed, host, links, texts },
    logo: logo === null || protocol !== 'https:' ? null : { url: logo.bitmapUrl, darkUrl: logoDark?.bitmapUrl ?? null },
    button: colorsOf(brand),
  }
}
