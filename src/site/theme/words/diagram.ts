import type { Word } from './words.ts'

/** What the buttons over a diagram do. */
// prettier-ignore
export const diagramWords = {
  zoomIn: {
    en: 'Zoom in', ar: 'تكبير', ca: 'Amplia', cs: 'Přiblížit', da: 'Zoom ind', de: 'Vergrößern', es: 'Acercar',
    fi: 'Lähennä', fr: 'Zoom avant', he: 'הגדלה', hi: 'बड़ा करें', hu: 'Nagyítás', id: 'Perbesar', it: 'Ingrandisci',
    ja: '拡大', ko: '확대', lv: 'Tuvināt', nl: 'Inzoomen', no: 'Zoom inn', pl: 'Powiększ', pt: 'Ampliar',
    'pt-BR': 'Ampliar', ro: 'Mărește', ru: 'Увеличить', sv: 'Zooma in', tr: 'Yakınlaştır', uk: 'Збільшити',
    uz: 'Kattalashtirish', vi: 'Phóng to', 'zh-Hans': '放大', 'zh-Hant': '放大',
  },
  zoomOut: {
    en: 'Zoom out', ar: 'تصغير', ca: 'Redueix', cs: 'Oddálit', da: 'Zoom ud', de: 'Verkleinern', es: 'Alejar',
    fi: 'Loitonna', fr: 'Zoom arrière', he: 'הקטנה', hi: 'छोटा करें', hu: 'Kicsinyítés', id: 'Perkecil',
    it: 'Riduci', ja: '縮小', ko: '축소', lv: 'Tālināt', nl: 'Uitzoomen', no: 'Zoom ut', pl: 'Pomniejsz',
    pt: 'Reduzir', 'pt-BR': 'Reduzir', ro: 'Micșorează', ru: 'Уменьшить', sv: 'Zooma ut', tr: 'Uzaklaştır',
    uk: 'Зменшити', uz: 'Kichiklashtirish', vi: 'Thu nhỏ', 'zh-Hans': '缩小', 'zh-Hant': '縮小',
  },
  resetView: {
    en: 'Reset view', ar: 'إعادة ضبط العرض', ca: 'Restableix la vista', cs: 'Obnovit zobrazení', da: 'Nulstil visning',
    de: 'Ansicht zurücksetzen', es: 'Restablecer la vista', fi: 'Palauta näkymä', fr: 'Réinitialiser la vue',
    he: 'איפוס התצוגה', hi: 'दृश्य रीसेट करें', hu: 'Nézet visszaállítása', id: 'Atur ulang tampilan',
    it: 'Reimposta vista', ja: '表示をリセット', ko: '보기 재설정', lv: 'Atiestatīt skatu', nl: 'Weergave herstellen',
    no: 'Tilbakestill visning', pl: 'Resetuj widok', pt: 'Repor a vista', 'pt-BR': 'Redefinir a visualização',
    ro: 'Resetează vizualizarea', ru: 'Сбросить вид', sv: 'Återställ vyn', tr: 'Görünümü sıfırla',
    uk: 'Скинути вигляд', uz: 'Koʻrinishni tiklash', vi: 'Đặt lại khung nhìn', 'zh-Hans': '重置视图',
    'zh-Hant': '重設檢視',
  },
} as const satisfies Readonly<Record<string, Word>>
