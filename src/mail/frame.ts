import type { Brand } from '../brand/index.ts'
import type { MailKey, TextsIn } from '../core/mail-texts.ts'

/** What surrounds the text of a mail: the name, logo and colours of the brand. */
export interface MailFrame {
  readonly name: string
  /** False if the operator has not configured a name. The subject then contains no company name. */
  readonly isNamed: boolean
  readonly host: string
  /** URLs of the logos. In a mail that is sent, they refer to parts of the mail itself (`inline.ts`). Null if the brand has no logo. */
  readonly logo: { readonly url: string; readonly darkUrl: string | null } | null
  readonly button: { readonly light: ButtonColors; readonly dark: ButtonColors }
  readonly grounds: { readonly light: GroundColors; readonly dark: GroundColors }
  /** The corner radius of card and button in CSS pixels. They are the same as on the pages. */
  readonly corners: { readonly card: number; readonly button: number }
  readonly links: Pick<Brand['links'], 'support' | 'privacy'>
  /** The texts that every mail contains in addition to its own. */
  readonly texts: TextsIn<MailKey<'frame'>>
}

interface ButtonColors {
  readonly fill: string
  readonly text: string
  /** The colour of the border around a button whose fill has little contrast with the background. */
  readonly edge: string
}

/** The colours of background, card and lines, and the colours of text from strong to faint. */
export interface GroundColors {
  readonly ground: string
  readonly surface: string
  readonly line: string
  readonly ink: string
  readonly inkSoft: string
  readonly inkFaint: string
}

const plainButton: MailFrame['button'] = {
  light: { fill: '#14181f', text: '#ffffff', edge: '#14181f' },
  dark: { fill: '#f2f4f7', text: '#0f1115', edge: '#f2f4f7' },
}

const plainGrounds: MailFrame['grounds'] = {
  light: { ground: '#f4f5f7', surface: '#ffffff', line: '#e3e6ea', ink: '#14181f', inkSoft: '#3a414d', inkFaint: '#5f6772' },
  dark: { ground: '#0f1115', surface: '#181b21', line: '#2a2f38', ink: '#f2f4f7', inkSoft: '#c9ced6', inkFaint: '#98a0ac' },
}

const inBoth = <T>(of: (theme: 'light' | 'dark') => T) => ({ light: of('light'), dark: of('dark') })

const buttonOf = ({ palette }: Brand): MailFrame['button'] =>
  inBoth((theme) => {
    const { fill, text, edge } = plainButton[theme]
    const { 'accent-fill': branded = fill, 'on-accent': on = text, 'accent-edge': line = edge } = palette?.[theme] ?? {}
    return { fill: branded, text: on, edge: line === 'transparent' ? branded : line }
  })

const groundsOf = ({ palette }: Brand): MailFrame['grounds'] =>
  inBoth((theme) => {
    const plain = plainGrounds[theme]
    const { ground, surface, line, ink, 'ink-soft': inkSoft, 'ink-faint': inkFaint } = palette?.[theme] ?? {}
    return {
      ground: ground ?? plain.ground,
      surface: surface ?? plain.surface,
      line: line ?? plain.line,
      ink: ink ?? plain.ink,
      inkSoft: inkSoft ?? plain.inkSoft,
      inkFaint: inkFaint ?? plain.inkFaint,
    }
  })

const corners: Readonly<Record<Brand['radius'], MailFrame['corners']>> = {
  sharp: { card: 4, button: 2 },
  soft: { card: 20, button: 10 },
  round: { card: 28, button: 23 },
}

export const frameOf = (brand: Brand, publicUrl: string, texts: MailFrame['texts']): MailFrame => {
  const { name, isNamed, logo, logoDark, links, radius } = brand
  return {
    ...{ name, isNamed, host: new URL(publicUrl).host, links, texts },
    logo: logo === null ? null : { url: logo.bitmapUrl, darkUrl: logoDark?.bitmapUrl ?? null },
    button: buttonOf(brand),
    grounds: groundsOf(brand),
    corners: corners[radius],
  }
}
