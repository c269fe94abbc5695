import { bind, documented } from '../http/handlers.ts'
import { mailContract } from './contract.ts'
import { mailDocumentation } from './documentation.ts'
import type { MailSamples } from './samples.ts'
import type { Mail, MailInfo } from './service.ts'

const view = ({ toAddress: address, ...mail }: MailInfo) => ({ ...mail, address })

/** The outbox for operators. */
export const mailRoutes = (mail: Mail, samples: MailSamples) =>
  bind(documented(mailContract, mailDocumentation), {
    listMails: async (_principal, { query }) => {
      const { rows, next } = await mail.page(query)
      return { mails: rows.map(view), next }
    },
    listMailTemplates: () => ({ templates: samples.kinds().map((kind) => ({ kind })) }),
    previewMail: (principal, { params: { kind }, query: { language, name, color } }) => ({
      kind,
      ...samples.render(principal, kind, language, { name, color: color === undefined ? undefined : `#${color}` }),
    }),
    retryMail: async (principal, { params }) => view(await mail.requeue(principal, params.id)),
  })
