import { errorsOf } from '../core/errors.ts'

export const limitErrors = errorsOf({
  PROOF_OF_WORK_REQUIRED: [400, 'Proof of work required'],
  PROOF_OF_WORK_INVALID: [400, 'Proof of work invalid'],
})
