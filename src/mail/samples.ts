import type { Principal } from '../access/principal.ts'
import type { BrandService } from '../brand/index.ts'
import type { Core } from '../core/core.ts'
import { type Locale, languageCodes } from '../core/locale.ts'
import type { MailTexts } from '../core/mail-texts.ts'
import { mailErrors } from './contract.ts'
import { frameOf } from './frame.ts'
import { testMail } from './mails.ts'
import { type MailContent, type RenderedMail, renderMail } from './template.ts'

/** The person for whom a sample mail is rendered. */
export interface SampleReader {
  readonly name: string
  readonly email: string
  readonly language: number
  readonly timeZone: string | null
  /** The present time. What a sample reports happened at this time. */
  readonly at: Date
}

/** A sample of one kind of mail. Links and codes in it do not work. */
export interface MailSample {
  /** The kind of the mail, as lists of mails name it. */
  readonly kind: string
  readonly content: (to: SampleReader) => MailContent
}

/** Values of a previewed brand. They replace those of the configured brand. */
export interface TriedBrand {
  readonly name?: string | undefined
  /** A colour with six hexadecimal digits, such as `#0d5c4c`. */
  readonly color?: string | undefined
}

export interface MailSamples {
  /** Called by features to add samples of their mails. */
  offer(samples: readonly MailSample[]): void
  kinds(): readonly string[]
  /** Renders a sample mail to the principal, in the same way as real mails. Throws MAIL_TEMPLATE_NOT_FOUND. */
  render(principal: Principal, kind: string, language: Locale, tried?: TriedBrand): RenderedMail
}

interface Deps extends Pick<Core, 'clock'> {
  readonly brand: BrandService
  readonly mailTexts: MailTexts
  readonly url: string
}

export const createMailSamples = ({ clock, brand, mailTexts, url }: Deps): MailSamples => {
  const samples: MailSample[] = [{ kind: 'test', content: () => testMail(url) }]
  return {
    offer: (more) => void samples.unshift(...more),
    kinds: () => samples.map(({ kind }) => kind),
    render: (principal, kind, language, tried = {}) => {
      const sample = samples.find((one) => one.kind === kind)
      if (sample === undefined) throw mailErrors.error('MAIL_TEMPLATE_NOT_FOUND')
      const { name, email } = principal.kind === 'user' ? principal.user : { name: '', email: 'you@example.com' }
      const content = sample.content({ name, email, language: languageCodes[language], timeZone: null, at: clock.now() })
      return renderMail(content, frameOf(brand.tried(tried), url, mailTexts('frame')))
    },
  }
}
