export default ({ text }: { text: string }) => ({ text: text.toUpperCase() })
