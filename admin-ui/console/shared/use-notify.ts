import { notifications } from '@mantine/notifications'
import { useI18n } from '../../shared/text.tsx'

/** Shows a notification in a corner. Errors stay until the person closes them, and screen readers read them at once. */
export const useNotify = () => {
  const { t } = useI18n()
  return (message: string, tone: 'good' | 'bad' = 'good'): void => {
    notifications.show({
      message,
      className: tone === 'bad' ? 'toast-bad' : 'toast-good',
      closeButtonProps: { 'aria-label': t('console.peek.close') },
      role: tone === 'bad' ? 'alert' : 'status',
      ...(tone === 'bad' ? { autoClose: false } : {}),
    })
  }
}
