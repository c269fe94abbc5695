import { deviceOf, programOf } from '../../shared/device.ts'
import { useI18n } from '../../shared/text.tsx'

/** Returns a function that gives a readable name for the browser of a session, in the reader's language. */
export const useDeviceName = () => {
  const { t } = useI18n()
  return ({ userAgent }: { readonly userAgent: string }): string => {
    const device = deviceOf(userAgent)
    return device === undefined ? (programOf(userAgent) ?? t('console.unknownDevice')) : t('console.device', device)
  }
}
