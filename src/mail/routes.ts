import { bind, documented } from '../http/handlers.ts'
import { mailContract } from './contract.ts'
import { mailDocumentation } from './documentation.ts'
import type { Mail, MailInfo } from './service.ts'

const view = ({ toAddress: address, ...mail }: MailInfo) => ({ ...mail, address })

/** The outbox for operators. */
export const mailRoutes = (mail: Mail) =>
  bind(documented(mailContract, mailDocumentation), {
    listMails: async (_principal, { query }) => {
      const { rows, next } = await mail.page(query)
      return { mails: rows.map(view), next }
    },
    retryMail: async (principal, { params }) => view(await mail.requeue(principal, params.id)),
  })
