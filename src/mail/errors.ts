import { errorsOf } from '../core/errors.ts'

export const mailErrors = errorsOf({
  MAIL_NOT_FOUND: [404, 'Mail not found'],
  MAIL_TEMPLATE_NOT_FOUND: [404, 'Mail template not found'],
})
