import { deviceOf, programOf } from '../../shared/device.ts'
import { useI18n } from '../../shared/text.tsx'

/** Returns the readable name of a session's browser, in the language of the page. */
export const useDeviceName = () => {
  const { t } = useI18n()
  return ({ userAgent }: { readonly userAgent: string }): string => {
    const device = deviceOf(userAgent)
    return device === undefined ? (programOf(userAgent) ?? t('console.unknownDevice')) : t('console.device', device)
  }
}
