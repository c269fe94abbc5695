import { errorsOf } from '../../core/errors.ts'

export const rememberedBrowserErrors = errorsOf({
  REMEMBERED_BROWSER_NOT_FOUND: [404, 'Remembered browser not found'],
})
